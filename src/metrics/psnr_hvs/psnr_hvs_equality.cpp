#include "equality/equality.hpp"
#include "metrics/psnr_hvs/psnr_hvs.hpp"

namespace vmaf::psnr_hvs {
namespace {

using equality::Call;
using equality::Workload;

// A row of blocks uses the first eight rows of the planes.
template <class T, class Errors> Call prepare(Workload &w, Errors errors) {
    const PlaneView<T> ref = w.plane<T>(), dist = w.plane<T>();
    const int blocks = (w.width - 8) / kBlockStep + 1;
    float *const terms = w.output<float>(64 * std::size_t(blocks + 1));
    std::uint64_t *const count = w.output<std::uint64_t>(1);
    const unsigned table = unsigned(w.random()() % 3);
    return [=, bits = w.bits] {
        *count = errors({ref.data, dist.data, ref.stride, dist.stride, blocks, bits, &kContrastTables[table]}, terms);
        for (std::uint64_t i = *count; i < 64 * std::size_t(blocks + 1); i++) terms[i] = 0;
    };
}

const equality::Registration errors_equality({
    .name = "psnr_hvs.errors",
    .prepare =
        [](Workload &w, Isa isa) {
            const Functions &functions = pick_functions(isa);
            return w.bits == 8 ? prepare<std::uint8_t>(w, functions.errors_u8)
                               : prepare<std::uint16_t>(w, functions.errors_u16);
        },
    .min_width = 8,
    .min_height = 8,
    .depths = {8, 9, 10, 11, 12},
});

} // namespace
} // namespace vmaf::psnr_hvs
