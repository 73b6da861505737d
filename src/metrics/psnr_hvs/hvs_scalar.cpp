#include <array>
#include <cmath>
#include <cstdlib>

#include "metrics/psnr_hvs/psnr_hvs.hpp"

namespace vmaf::psnr_hvs {

namespace {

using Block = std::array<std::int32_t, 64>; // [8 * row + column]

template <class T> Block block_at(const T *samples, std::ptrdiff_t stride) {
    Block block;
    for (std::size_t i = 0; i < 8; i++, samples += stride)
        for (std::size_t j = 0; j < 8; j++) block[8 * i + j] = samples[j];
    return block;
}

// 9.1 step 1: the quadrants' variances relative to the whole block's; 0 for a flat block. The means are exact; the
// sums of squares round, in raster order.
float variance_ratio(const Block &block) {
    std::array<std::int32_t, 4> quadrant_sum{};
    const auto quadrant = [](std::size_t i, std::size_t j) { return (i >= 4 ? 1u : 0u) + (j >= 4 ? 2u : 0u); };
    for (std::size_t i = 0; i < 8; i++)
        for (std::size_t j = 0; j < 8; j++) quadrant_sum[quadrant(i, j)] += block[8 * i + j];
    const float mean = float(quadrant_sum[0] + quadrant_sum[1] + quadrant_sum[2] + quadrant_sum[3]) / 64.0f;
    std::array<float, 4> quadrant_mean;
    for (std::size_t q = 0; q < 4; q++) quadrant_mean[q] = float(quadrant_sum[q]) / 16.0f;

    float whole = 0.0f;
    std::array<float, 4> part{};
    for (std::size_t i = 0; i < 8; i++)
        for (std::size_t j = 0; j < 8; j++) {
            const std::size_t q = quadrant(i, j);
            const float sample = float(block[8 * i + j]);
            const float from_mean = sample - mean, from_quadrant_mean = sample - quadrant_mean[q];
            whole += from_mean * from_mean;
            part[q] += from_quadrant_mean * from_quadrant_mean;
        }
    whole *= (1 / 63.f) * 64;
    for (float &v : part) v *= (1 / 15.f) * 16;
    return whole > 0.0f ? (part[0] + part[1] + part[2] + part[3]) / whole : 0.0f;
}

// v * factor / 2^Bits, rounded half up.
template <int Bits> std::int32_t scaled(std::int32_t v, std::int32_t factor) {
    return (v * factor + (1 << (Bits - 1))) >> Bits;
}

// 9.3: the 8-point transform of x[0], x[step], ..., in place. Each lifting step uses the values current at that point.
template <std::size_t Step> void transform(std::int32_t *x) {
    const std::int32_t p = x[0] - x[7 * Step], p_half = p / 2;
    const std::int32_t q = x[Step] + x[6 * Step], q_half = q / 2;
    const std::int32_t r = x[3 * Step] + x[4 * Step], r_half = r / 2;
    std::int32_t b3 = x[2 * Step] - x[5 * Step];
    std::int32_t b5 = x[6 * Step] - q_half;
    std::int32_t b7 = r_half - x[4 * Step];

    std::int32_t a0 = x[0] - p_half + r_half;
    std::int32_t a6 = a0 - r;
    std::int32_t a2 = q_half - (x[2 * Step] - b3 / 2);
    std::int32_t a4 = a2 - q;

    a0 -= scaled<15>(a4, 13573);
    a4 += scaled<14>(a0, 11585);
    a0 -= scaled<15>(a4, 13573);

    a6 -= scaled<15>(a2, 21895);
    a2 += scaled<14>(a6, 15137);
    a6 -= scaled<15>(a2, 21895);

    b3 += scaled<15>(b5, 19195);
    b5 += scaled<14>(b3, 11585);
    b3 -= scaled<13>(b5, 7489);
    b7 = b5 / 2 - b7;
    b5 -= b7;
    b3 = p_half - b3;
    std::int32_t b1 = p - b3;

    b7 += scaled<15>(b1, 3227);
    b1 -= scaled<15>(b7, 6393);
    b7 += scaled<15>(b1, 3227);

    b5 += scaled<13>(b3, 2485);
    b3 -= scaled<15>(b5, 18205);
    b5 += scaled<13>(b3, 2485);

    const std::array<std::int32_t, 8> out = {a0, b1, a2, b3, a4, b5, a6, b7};
    for (std::size_t i = 0; i < 8; i++) x[i * Step] = out[i];
}

// Columns first, then rows: rounding makes the order matter.
void transform(Block &block) {
    for (std::size_t j = 0; j < 8; j++) transform<8>(block.data() + j);
    for (std::size_t i = 0; i < 8; i++) transform<1>(block.data() + 8 * i);
}

// 9.1 step 3
float masking_threshold(const Block &coefficients, const Table8x8 &mask, float ratio) {
    float energy = 0.0f;
    for (std::size_t i = 1; i < 64; i++) energy += float(coefficients[i] * coefficients[i]) * mask[i];
    const float product = energy * ratio;
    return float(std::sqrt(double(product)) / 32);
}

// 9.1 step 4
std::size_t block_errors(const Block &s, const Block &d, const ContrastTables &tables, float threshold, float *terms) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < 64; i++) {
        float error = float(std::abs(s[i] - d[i]));
        if (i > 0) {
            const float masked = threshold / tables.mask[i];
            error = error < masked ? 0.0f : error - masked;
        }
        const float weighted = error * tables.csf[i];
        terms[count] = weighted * weighted;
        count += terms[count] != 0.0f;
    }
    return count;
}

template <class T> std::size_t row_errors(const BlockRow<T> &row, float *terms) {
    const ContrastTables &tables = *row.tables;
    std::size_t count = 0;
    for (int b = 0; b < row.blocks; b++) {
        Block s = block_at(row.ref + b * kBlockStep, row.ref_stride);
        Block d = block_at(row.dist + b * kBlockStep, row.dist_stride);
        const float ratio_s = variance_ratio(s), ratio_d = variance_ratio(d);
        transform(s);
        transform(d);
        const float threshold_s = masking_threshold(s, tables.mask, ratio_s);
        const float threshold_d = masking_threshold(d, tables.mask, ratio_d);
        count += block_errors(s, d, tables, threshold_d > threshold_s ? threshold_d : threshold_s, terms + count);
    }
    return count;
}

} // namespace

const Kernels scalar_kernels = {row_errors<std::uint8_t>, row_errors<std::uint16_t>};

} // namespace vmaf::psnr_hvs
