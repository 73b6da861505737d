#include <algorithm>
#include <memory>

#include "equality/equality.hpp"
#include "metrics/vif/vif_strip.hpp"

namespace vmaf::vif {
namespace {

using equality::Call;
using equality::Workload;

// A strip of a scale's images; compares the sums and the rows of the next scale.
template <class T> Call prepare(Workload &w, Isa isa, int scale) {
    const PlaneView<T> ref = w.plane<T>(), dist = w.plane<T>();
    Strip strip;
    strip.scale = scale;
    strip.images = {
        ref.data, dist.data, ref.stride * std::ptrdiff_t(sizeof(T)), dist.stride * std::ptrdiff_t(sizeof(T)), w.bits,
        w.width,  w.height};
    if (w.height < 900) { // large planes: whole, for timing
        strip.first_row = int(w.random()() % unsigned(w.height)) / 2 * 2;
        strip.end_row = std::min(w.height, strip.first_row + 1 + int(w.random()() % 20));
        for (double &limit : strip.limits.values) limit = 1.0 + double(w.random()() % 3) * 0.1;
        strip.limits.count = 1 + w.random()() % kLimitsAtOnce;
    } else {
        strip.end_row = w.height;
    }
    const std::size_t next_width = std::size_t(w.width) / 2, next_height = std::size_t(w.height) / 2;
    if (scale + 1 < kScales) {
        strip.next_stride = std::ptrdiff_t(next_width) + kNextScaleSlack;
        const std::size_t bytes = std::size_t(strip.next_stride) * next_height * sizeof(std::uint16_t);
        strip.next_ref = reinterpret_cast<std::uint16_t *>(w.scratch(bytes));
        strip.next_dist = reinterpret_cast<std::uint16_t *>(w.scratch(bytes));
    }
    StripSums *const sums = reinterpret_cast<StripSums *>(w.output<std::int64_t>(5));
    std::uint16_t *const next = w.output<std::uint16_t>(2 * next_width * next_height);
    std::fill_n(next, 2 * next_width * next_height, std::uint16_t(0));

    const StripCode *const code = pick_strip_code(isa);
    std::byte *const scratch = w.scratch(code ? code->scratch_bytes(w.width) : 0);
    const std::shared_ptr<StripWorker> scalar = make_scalar_worker(w.width);
    return [=] {
        *sums = code && code->wide_enough(scale, strip.images.width) ? code->run(strip, scratch) : scalar->run(strip);
        if (scale + 1 == kScales) return;
        const auto end = std::min(std::size_t(strip.end_row + 1) / 2, next_height);
        for (std::size_t y = std::size_t(strip.first_row) / 2; y < end; y++) {
            std::copy_n(strip.next_ref + y * std::size_t(strip.next_stride), next_width, next + 2 * y * next_width);
            std::copy_n(strip.next_dist + y * std::size_t(strip.next_stride), next_width,
                        next + (2 * y + 1) * next_width);
        }
    };
}

equality::Function strip_of_scale(int scale) {
    equality::Function function;
    function.name = "vif.strip" + std::to_string(scale);
    function.prepare = [scale](Workload &w, Isa isa) {
        return w.bits == 8 ? prepare<std::uint8_t>(w, isa, scale) : prepare<std::uint16_t>(w, isa, scale);
    };
    function.min_width = function.min_height = 2;
    if (scale == 0)
        function.depths = {8, 9, 10, 12, 14, 16};
    else
        function.depths = {16};
    return function;
}

const equality::Registration strip0_equality(strip_of_scale(0)), strip1_equality(strip_of_scale(1)),
    strip2_equality(strip_of_scale(2)), strip3_equality(strip_of_scale(3));

} // namespace
} // namespace vmaf::vif
