#include <algorithm>
#include <cstring>

#include "equality/equality.hpp"
#include "metrics/ssimulacra2/ssimulacra2_stages.hpp"

namespace vmaf::ssimulacra2 {
namespace {

using equality::Call;
using equality::Registration;
using equality::Workload;

LinearRow<std::uint8_t> *linear_row(const ColourFunctions &functions, std::uint8_t) { return functions.linear_row8; }
LinearRow<std::uint16_t> *linear_row(const ColourFunctions &functions, std::uint16_t) { return functions.linear_row16; }

template <class T> Call prepare_linear(Workload &w, Isa isa) {
    const int widths[] = {w.width, (w.width + 1) / 2, std::max(w.width / 2, 1)}; // 4:4:4, 4:2:0, odd sizes cropped
    const int chroma_width = widths[w.random()() % 3];
    const T *const y = w.plane<T>(w.width, 1).data, *const u = w.plane<T>(chroma_width, 1).data,
                   *const v = w.plane<T>(chroma_width, 1).data;
    const int *const columns = w.input<int>(std::size_t(w.width), [&](Workload::Random &, std::size_t x) {
        return chroma_position(int(x), w.width, chroma_width);
    });
    const int each = chroma_width == w.width ? 1 : 2 * chroma_width == w.width ? 2 : 0;
    const YuvMatrix matrix = yuv_matrix(int(w.random()() % 4));
    const float scale = 1.0f / float((1 << w.bits) - 1);
    Rows rgb;
    for (float *&row : rgb) row = w.output<float>(std::size_t(w.width), kOverreadBytes);
    return [=, width = w.width, function = linear_row(pick_colour(isa), T())] {
        function({y, u, v, columns, each, scale}, matrix, rgb, width);
    };
}

const Registration linear({
    .name = "ssimulacra2.linear_row",
    .prepare =
        [](Workload &w, Isa isa) {
            return w.bits == 8 ? prepare_linear<std::uint8_t>(w, isa) : prepare_linear<std::uint16_t>(w, isa);
        },
    .depths = {8, 9, 10, 12, 16},
});

const Registration xyb({
    .name = "ssimulacra2.xyb_row",
    .prepare = [](Workload &w, Isa isa) -> Call {
        ConstRows rgb;
        Rows out;
        for (const float *&row : rgb) row = w.float_plane(w.width, 1, 1.0f, 0.0f).data;
        for (float *&row : out) row = w.output<float>(std::size_t(w.width), kOverreadBytes);
        return [=, width = w.width, &functions = pick_colour(isa)] { functions.xyb_row(rgb, out, width); };
    },
    .depths = {8},
});

const Registration halve({
    .name = "ssimulacra2.halve_rows",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const PlaneView<float> rows = w.float_plane(w.width, 2, 1.0f, 0.0f);
        float *const out = w.output<float>(std::size_t(w.width + 1) / 2, kOverreadBytes);
        return [=, &functions = pick_colour(isa)] { functions.halve_rows(rows.row(0), rows.row(1), out, rows.width); };
    },
    .depths = {8},
});

// A pair of planes in the strips and groups that a version uses.
struct Channel {
    PlaneView<float> planes[2];
    Needs needs;
    std::uint32_t *blurred; // bit patterns: the blur is exact, the sums are not
    double *sums;
    float *memory;

    static std::ptrdiff_t stride(int width) { return round_up(width + kBlurAhead, 32) + 16; }
    static constexpr int kRows = (2 + kSignals) * kRing + kSignals * 2 * kPoles + 1; // and outputs
    static std::size_t memory_floats(int width, int height) {
        return std::size_t(stride(width)) * kRows + output_floats(stride(width)) +
               std::size_t(height + kBlurAhead + kGroup) / kGroup * kCarryFloats;
    }

    void run(const BlurFunctions &functions) const {
        const int width = planes[0].width, strip = functions.strip > 0 ? functions.strip : width;
        MapSums total;
        for (int left = 0; left < width; left += strip)
            run_strip(functions, left, std::min(strip, width - left), total);
        const double figures[] = {total.structure.sum,   total.structure.sum_of_fourth,
                                  total.artifact.sum,    total.artifact.sum_of_fourth,
                                  total.lost_detail.sum, total.lost_detail.sum_of_fourth};
        for (int i = 0; i < 6; i++) sums[i] = i < 2 || (i < 4 ? needs.artifact : needs.lost_detail) ? figures[i] : 0;
    }

    void run_strip(const BlurFunctions &functions, int left, int columns, MapSums &total) const {
        const int width = planes[0].width, height = planes[0].height;
        const std::ptrdiff_t row = stride(width);
        float *const blurred_rings = memory + 2 * kRing * row, *const states = blurred_rings + kSignals * kRing * row,
                     *const outputs = states + kSignals * 2 * kPoles * row, *const zeros = outputs + output_floats(row),
                     *const carries = zeros + row;
        std::fill(blurred_rings, carries, 0.0f);
        for (int first = 0; first < height + kBlurAhead; first += kGroup) {
            const int count = std::min(kGroup, height + kBlurAhead - first);
            for (int picture = 0; picture < 2; picture++)
                for (int y = first; y < std::min(first + count, height); y++)
                    std::copy_n(planes[picture].row(y) + left, std::min(columns + kBlurAhead, width - left),
                                memory + (picture * kRing + y % kRing) * row);
            const RowGroup group{width,
                                 height,
                                 left,
                                 columns,
                                 first,
                                 count,
                                 needs.structure ? int(kSignals) : kEdgeSignals,
                                 row,
                                 {memory, memory + kRing * row},
                                 kRing,
                                 blurred_rings,
                                 states,
                                 carries + first / kGroup * kCarryFloats,
                                 outputs,
                                 zeros};
            functions.blur_rows(group);
            for (int s = 0; s < group.signals; s++)
                for (int y = first; y < std::min(first + count, height); y++)
                    std::memcpy(blurred + (std::ptrdiff_t(s) * height + y) * width + left, group.blurred_row(s, y),
                                sizeof(float) * std::size_t(columns));
            functions.score_rows(group, needs, total);
        }
    }
};

const Registration blur_and_maps({
    .name = "ssimulacra2.blur_and_maps",
    .prepare = [](Workload &w, Isa isa) -> Call {
        Channel channel;
        for (PlaneView<float> &plane : channel.planes) plane = w.float_plane(w.width, w.height, 0.8f, 0.01f);
        const Needs choices[] = {{true, true, true}, {false, true, false}, {true, false, true}, {true, true, false}};
        channel.needs = choices[w.random()() % 4];
        const int signals = channel.needs.structure ? int(kSignals) : kEdgeSignals;
        channel.blurred = w.output<std::uint32_t>(std::size_t(signals) * std::size_t(w.width) * std::size_t(w.height));
        channel.sums = w.output<double>(6);
        channel.memory =
            reinterpret_cast<float *>(w.scratch(sizeof(float) * Channel::memory_floats(w.width, w.height)));
        return [=, &functions = pick_blur(isa)] { channel.run(functions); };
    },
    .min_height = 8,
    .depths = {8},
    .tolerance = 1e-10,
});

} // namespace
} // namespace vmaf::ssimulacra2
