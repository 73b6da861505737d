#include "equality/equality.hpp"
#include "metrics/moment/moment.hpp"

namespace vmaf::moment {
namespace {

using equality::Call;
using equality::Workload;

template <class T> Call prepare(Workload &w, Isa isa) {
    const PlaneView<T> plane = w.plane<T>();
    double *const sums = w.output<double>(2);
    return [=, bits = w.bits, function = pick_plane_sums<T>(isa)] {
        const Sums result = function(plane, bits);
        sums[0] = result.first;
        sums[1] = result.second;
    };
}

const equality::Registration plane_sums_equality({
    .name = "float_moment.plane_sums",
    .prepare = [](Workload &w,
                  Isa isa) { return w.bits == 8 ? prepare<std::uint8_t>(w, isa) : prepare<std::uint16_t>(w, isa); },
});

} // namespace
} // namespace vmaf::moment
