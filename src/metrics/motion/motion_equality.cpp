#include "equality/equality.hpp"
#include "metrics/motion/motion.hpp"

namespace vmaf::motion {
namespace {

using equality::Call;
using equality::Workload;

template <class T> Call prepare(Workload &w, Isa isa) {
    const PlaneView<T> earlier = w.plane<T>(), current = w.plane<T>();
    std::byte *const scratch = w.scratch(scratch_bytes(w.width));
    std::uint64_t *const sum = w.output<std::uint64_t>(1);
    const int begin = w.height > 900 ? 0 : int(w.random()() % unsigned(w.height)); // large planes: whole, for timing
    return [=, bits = w.bits, function = pick_blurred_difference<T>(isa)] {
        *sum = function(earlier, current, bits, begin, current.height, scratch);
    };
}

const equality::Registration blurred_difference_equality({
    .name = "motion.blurred_difference",
    .prepare = [](Workload &w,
                  Isa isa) { return w.bits == 8 ? prepare<std::uint8_t>(w, isa) : prepare<std::uint16_t>(w, isa); },
    .min_width = kMinSize,
    .min_height = kMinSize,
    .depths = {8, 9, 10, 12, 14, 15, 16},
});

} // namespace
} // namespace vmaf::motion
