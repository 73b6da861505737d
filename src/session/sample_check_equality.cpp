#include "equality/equality.hpp"
#include "session/sample_check.hpp"

namespace vmaf {
namespace {

const equality::Registration bits_of_rows_equality({
    .name = "session.bits_of_rows",
    .prepare = [](equality::Workload &w, Isa isa) -> equality::Call {
        const PlaneView<std::uint16_t> plane = w.plane<std::uint16_t>();
        std::uint16_t *const bits = w.output<std::uint16_t>(1);
        return [=, function = pick_bits_of_rows(isa)] { *bits = function(plane, 0, plane.height); };
    },
    .depths = {9, 10, 12, 14, 16},
});

} // namespace
} // namespace vmaf
