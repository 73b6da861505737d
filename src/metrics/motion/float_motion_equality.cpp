#include "equality/equality.hpp"
#include "metrics/motion/float_motion.hpp"

namespace vmaf::float_motion {
namespace {

using equality::Call;
using equality::Workload;

template <class T> Call prepare(Workload &w, Isa isa, std::span<const float> taps) {
    const PlaneView<T> a = w.plane<T>(), b = w.plane<T>();
    std::byte *const scratch = w.scratch(scratch_bytes(w.width));
    float *const lines = w.output<float>(std::size_t(w.height));
    const int begin = w.height > 900 ? 0 : int(w.random()() % unsigned(w.height)); // large planes: whole, for timing
    for (int y = 0; y < begin; y++) lines[y] = 0;
    return [=, bits = w.bits, function = pick_line_differences<T>(isa)] {
        function(a, b, bits, taps, begin, a.height, lines, scratch);
    };
}

template <std::size_t Taps> Call prepare_taps(Workload &w, Isa isa, const std::array<float, Taps> &taps) {
    return w.bits == 8 ? prepare<std::uint8_t>(w, isa, taps) : prepare<std::uint16_t>(w, isa, taps);
}

const equality::Registration lines5({
    .name = "float_motion.line_differences",
    .prepare = [](Workload &w, Isa isa) { return prepare_taps(w, isa, kTaps5); },
    .min_width = 3,
    .min_height = 3,
});
const equality::Registration lines3({
    .name = "float_motion.line_differences_3taps",
    .prepare = [](Workload &w, Isa isa) { return prepare_taps(w, isa, kTaps3); },
    .min_width = 3,
    .min_height = 3,
});
const equality::Registration lines1({
    .name = "float_motion.line_differences_unfiltered",
    .prepare = [](Workload &w, Isa isa) { return prepare_taps(w, isa, kTaps1); },
    .min_width = 3,
    .min_height = 3,
});

} // namespace
} // namespace vmaf::float_motion
