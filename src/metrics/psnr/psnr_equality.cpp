#include "equality/equality.hpp"
#include "metrics/psnr/float_psnr.hpp"
#include "metrics/psnr/psnr.hpp"

namespace vmaf::psnr {
namespace {

using equality::Call;
using equality::Workload;

template <class T> Call prepare(Workload &w, Isa isa) {
    const PlaneView<T> ref = w.plane<T>(), dist = w.plane<T>();
    std::uint64_t *const sum = w.output<std::uint64_t>(1);
    return
        [=, bits = w.bits, function = pick_squared_error<T>(isa)] { *sum = function(ref, dist, bits, 0, ref.height); };
}

const equality::Registration squared_error_equality({
    .name = "psnr.squared_error",
    .prepare = [](Workload &w,
                  Isa isa) { return w.bits == 8 ? prepare<std::uint8_t>(w, isa) : prepare<std::uint16_t>(w, isa); },
});

const equality::Registration rounded_squared_error_equality({
    .name = "float_psnr.rounded_squared_error",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const PlaneView<std::uint16_t> ref = w.plane<std::uint16_t>(), dist = w.plane<std::uint16_t>();
        double *const sum = w.output<double>(1);
        return [=, function = pick_rounded_squared_error(isa)] { *sum = function(ref, dist); };
    },
    .depths = {16},
});

} // namespace
} // namespace vmaf::psnr
