// The specification of `float_adm` in plain C++ (adm.md 4.4 to 4.7), row by row.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "device/plain_arithmetic.hpp"
#include "metrics/adm/float_adm_formula.hpp"
#include "metrics/adm/float_rows.hpp"

namespace vmaf::adm {

namespace {

using Formula = kernels::FloatAdm<PlainArithmetic>;

void vertical(const Rows<float> &rows, int from, int to, float *low, float *high) {
    for (int x = from; x < to; x++) low[x] = Formula::low(rows[0][x], rows[1][x], rows[2][x], rows[3][x]);
    if (!high) return;
    for (int x = from; x < to; x++) high[x] = Formula::high(rows[0][x], rows[1][x], rows[2][x], rows[3][x]);
}

float low_sample(const float *line, int j) {
    return Formula::low(line[2 * j], line[2 * j + 1], line[2 * j + 2], line[2 * j + 3]);
}
float high_sample(const float *line, int j) {
    return Formula::high(line[2 * j], line[2 * j + 1], line[2 * j + 2], line[2 * j + 3]);
}

void horizontal(const float *low, const float *high, int approx_from, int approx_to, float *approx, int from, int to,
                const Bands<float> &details) {
    if (approx)
        for (int j = approx_from; j < approx_to; j++) approx[j + 1] = low_sample(low, j);
    if (!high) return;
    for (int j = from; j < to; j++) {
        details[0][j] = low_sample(high, j);
        details[1][j] = high_sample(low, j);
        details[2][j] = high_sample(high, j);
    }
}

void decouple(const In<float> &o, const In<float> &t, int from, int to, double gain_limit, const Bands<float> &r,
              const Bands<float> &a) {
    for (int j = from; j < to; j++) {
        const bool aligned = Formula::same_angle(o[0][j], o[1][j], t[0][j], t[1][j]);
        for (std::size_t b = 0; b < kBands; b++) {
            r[b][j] = Formula::restored(o[b][j], t[b][j], aligned, gain_limit);
            a[b][j] = t[b][j] - r[b][j];
        }
    }
}

void magnitudes(const In<float> &v, const std::array<float, kBands> &factor, int from, int to,
                const Bands<float> &out) {
    for (std::size_t b = 0; b < kBands; b++)
        for (int j = from; j < to; j++) out[b][j] = std::fabs(factor[b] * v[b][j]);
}

void neighbours(const In<float> &magnitude, int from, int to, const Bands<float> &out) {
    for (std::size_t b = 0; b < kBands; b++)
        for (int j = from; j < to; j++) out[b][j] = Formula::neighbour(magnitude[b][j]);
}

// Sum over the 3x3 neighbourhood in raster order; adds the centre in double.
float threshold(const std::array<FloatMask, 3> &mask, std::size_t b, int j) {
    const float *above = mask[0].neighbour[b], *middle = mask[1].neighbour[b], *below = mask[2].neighbour[b];
    float sum = (above[j - 1] + above[j]) + above[j + 1];
    sum = sum + middle[j - 1];
    sum = Formula::with_centre(sum, mask[1].magnitude[b][j]);
    sum = sum + middle[j + 1];
    return ((sum + below[j - 1]) + below[j]) + below[j + 1];
}

void excess(const In<float> &magnitude, const std::array<FloatMask, 3> &mask, int from, int to,
            const Bands<float> &out) {
    for (int j = from; j < to; j++) {
        const float limit = (threshold(mask, 0, j) + threshold(mask, 1, j)) + threshold(mask, 2, j);
        for (std::size_t b = 0; b < kBands; b++) {
            const float x = magnitude[b][j] - limit;
            out[b][j] = x < 0.0f ? 0.0f : x;
        }
    }
}

std::array<float, kBands> cube_sums(const Bands<float> &values, int from, int to) {
    std::array<float, kBands> sums{};
    for (int j = from; j < to; j++)
        for (std::size_t b = 0; b < kBands; b++) sums[b] += Formula::cube(values[b][j]);
    return sums;
}

} // namespace

const FloatRowFunctions &scalar_float_rows() {
    static constexpr FloatRowFunctions functions = {vertical,   horizontal, decouple, magnitudes,
                                                    neighbours, excess,     cube_sums};
    return functions;
}

} // namespace vmaf::adm
