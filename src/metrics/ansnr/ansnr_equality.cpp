#include "equality/equality.hpp"
#include "metrics/ansnr/ansnr.hpp"

namespace vmaf::ansnr {
namespace {

using equality::Call;
using equality::Workload;

template <class T> Call prepare(Workload &w, Isa isa) {
    const PlaneView<T> ref = w.plane<T>(), dist = w.plane<T>();
    std::byte *const scratch = w.scratch(scratch_bytes(w.width));
    float *const signal = w.output<float>(std::size_t(w.height)), *const noise = w.output<float>(std::size_t(w.height));
    const int begin = w.height > 900 ? 0 : int(w.random()() % unsigned(w.height)); // large planes: whole, for timing
    for (int y = 0; y < begin; y++) signal[y] = noise[y] = 0;
    return [=, bits = w.bits, function = pick_row_energies<T>(isa)] {
        function(ref, dist, bits, begin, ref.height, signal, noise, scratch);
    };
}

const equality::Registration row_energies_equality({
    .name = "float_ansnr.row_energies",
    .prepare = [](Workload &w,
                  Isa isa) { return w.bits == 8 ? prepare<std::uint8_t>(w, isa) : prepare<std::uint16_t>(w, isa); },
    .min_width = 3,
    .min_height = 3,
});

} // namespace
} // namespace vmaf::ansnr
