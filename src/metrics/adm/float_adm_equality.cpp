#include "equality/equality.hpp"
#include "metrics/adm/float_rows.hpp"
#include "metrics/adm/float_sweep.hpp"
#include "metrics/adm/row_workload.hpp"

namespace vmaf::adm {
namespace {

using equality::Call;
using equality::Registration;
using equality::Workload;

constexpr double kLargest = 2000; // a coefficient of scale 3

const float *coefficients(Workload &w, int width) {
    return input_row<float>(w, width, [&](auto &random, int) { return coefficient(w.pattern, kLargest, random); });
}
In<float> bands(Workload &w, int width) {
    return {coefficients(w, width), coefficients(w, width), coefficients(w, width)};
}
In<float> positive_bands(Workload &w, int width) {
    const auto row = [&] {
        return input_row<float>(w, width,
                                [&](auto &random, int) { return std::abs(coefficient(w.pattern, kLargest, random)); });
    };
    return {row(), row(), row()};
}

const Registration vertical_equality({
    .name = "float_adm.vertical",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const Rows<float> rows = {coefficients(w, w.width), coefficients(w, w.width), coefficients(w, w.width),
                                  coefficients(w, w.width)};
        float *const low = work_row<float>(w, w.width), *const high = work_row<float>(w, w.width);
        const RowRange range(w);
        float *const out = w.output<float>(2 * std::size_t(range.size()));
        return [=, function = float_rows_for(isa).vertical] {
            for (int i = 0; i < range.repeats; i++) function(rows, range.from, range.to, low, high);
            std::copy(low + range.from, low + range.to, out);
            std::copy(high + range.from, high + range.to, out + range.size());
        };
    },
    .depths = {8},
});

const Registration horizontal_equality({
    .name = "float_adm.horizontal",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const float *const low = coefficients(w, 2 * w.width + 2 + kRowMargin);
        const float *const high = coefficients(w, 2 * w.width + 2 + kRowMargin);
        float *const approx = work_row<float>(w, w.width + 1);
        const Bands<float> details = work_bands<float>(w, w.width);
        const RowRange a(w), range(w);
        float *const out = w.output<float>(std::size_t(a.size() + 3 * range.size()));
        return [=, function = float_rows_for(isa).horizontal] {
            for (int i = 0; i < range.repeats; i++)
                function(low, high, a.from, a.to, approx, range.from, range.to, details);
            std::copy(approx + 1 + a.from, approx + 1 + a.to, out);
            copy_bands(details, range.from, range.to, out + a.size());
        };
    },
    .depths = {8},
});

const Registration decouple_equality({
    .name = "float_adm.decouple",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const DetailRows<float> rows(w, w.width, kLargest);
        const double gains[] = {100, 1, 1.2, 33.3};
        const double gain = gains[w.height > 900 ? 0 : w.random()() % 4];
        const Bands<float> r = work_bands<float>(w, w.width), a = work_bands<float>(w, w.width);
        const RowRange range(w);
        float *const out = w.output<float>(6 * std::size_t(range.size()));
        return [=, function = float_rows_for(isa).decouple] {
            for (int i = 0; i < range.repeats; i++) function(rows.o, rows.t, range.from, range.to, gain, r, a);
            copy_bands(r, range.from, range.to, out);
            copy_bands(a, range.from, range.to, out + 3 * range.size());
        };
    },
    .depths = {8},
});

// Magnitudes and their contribution to thresholds.
const Registration weigh_equality({
    .name = "float_adm.magnitudes_neighbours",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const In<float> v = bands(w, w.width);
        const Bands<float> magnitude = work_bands<float>(w, w.width), neighbour = work_bands<float>(w, w.width);
        const RowRange range(w);
        float *const out = w.output<float>(6 * std::size_t(range.size()));
        return [=, functions = float_rows_for(isa)] {
            for (int i = 0; i < range.repeats; i++) {
                functions.magnitudes(v, {0.0174f, 0.032f, 0.0059f}, range.from, range.to, magnitude);
                functions.neighbours({magnitude[0], magnitude[1], magnitude[2]}, range.from, range.to, neighbour);
            }
            copy_bands(magnitude, range.from, range.to, out);
            copy_bands(neighbour, range.from, range.to, out + 3 * range.size());
        };
    },
    .depths = {8},
});

const Registration excess_equality({
    .name = "float_adm.excess_cube_sums",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const In<float> x = positive_bands(w, w.width);
        std::array<FloatMask, 3> mask;
        for (FloatMask &m : mask) m = {positive_bands(w, w.width), positive_bands(w, w.width)};
        const Bands<float> values = work_bands<float>(w, w.width);
        const RowRange range(w);
        float *const out = w.output<float>(3 * std::size_t(range.size()) + kBands);
        return [=, functions = float_rows_for(isa)] {
            for (int i = 0; i < range.repeats; i++) {
                functions.excess(x, mask, range.from, range.to, values);
                if (i == 0) copy_bands(values, range.from, range.to, out);
                const auto sums = functions.cube_sums(values, range.from, range.to);
                std::copy(sums.begin(), sums.end(), out + 3 * range.size());
            }
        };
    },
    .depths = {8},
});

} // namespace
} // namespace vmaf::adm
