#include "equality/equality.hpp"
#include "metrics/ciede/ciede.hpp"

namespace vmaf::ciede {
namespace {

using equality::Call;
using equality::Workload;

template <class T, class Row> Call prepare(Workload &w, Row row) {
    PlaneView<T> planes[6];
    for (PlaneView<T> &plane : planes) plane = w.plane<T>();
    float *const out = w.output<float>(std::size_t(w.width) * std::size_t(w.height));
    return [=, width = w.width, height = w.height, bits = w.bits] {
        for (int y = 0; y < height; y++)
            row({planes[0].row(y), planes[1].row(y), planes[2].row(y)},
                {planes[3].row(y), planes[4].row(y), planes[5].row(y)}, width, bits, out + y * width);
    };
}

// The last bit of f64 occasionally changes the last bit of f32 in L*a*b*, which shifts the differences.
const equality::Registration row_equality({
    .name = "ciede.row",
    .prepare =
        [](Workload &w, Isa isa) {
            const Functions &functions = pick_functions(isa);
            return w.bits == 8 ? prepare<std::uint8_t>(w, functions.row_u8)
                               : prepare<std::uint16_t>(w, functions.row_u16);
        },
    .tolerance = 1e-4,
});

} // namespace
} // namespace vmaf::ciede
