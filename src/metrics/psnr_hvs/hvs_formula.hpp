// The arithmetic of one 8x8 block of `psnr_hvs` (fidelity.md 9), shared by CPU and device code, in the dialect of
// device/kernel.hpp. Blocks are arrays [8 * row + column]. `C` has divide() and square_root().
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

// 9.1 step 1: the quadrants' variances relative to the whole block's; 0 for a flat block. The means are exact; the sums
// of squares round, in raster order.
template <class C> VMAF_DEVICE_FN float hvs_variance_ratio(const int *block) {
    int quadrant_sum[4] = {0, 0, 0, 0};
    VMAF_UNROLL
    for (int i = 0; i < 64; i++) quadrant_sum[(i >= 32 ? 1 : 0) + (i % 8 >= 4 ? 2 : 0)] += block[i];
    const float mean =
        static_cast<float>(quadrant_sum[0] + quadrant_sum[1] + quadrant_sum[2] + quadrant_sum[3]) * 0.015625f;
    float quadrant_mean[4], whole = 0.0f, part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    VMAF_UNROLL
    for (int q = 0; q < 4; q++) quadrant_mean[q] = static_cast<float>(quadrant_sum[q]) * 0.0625f;
    VMAF_UNROLL
    for (int i = 0; i < 64; i++) {
        const int q = (i >= 32 ? 1 : 0) + (i % 8 >= 4 ? 2 : 0);
        const float sample = static_cast<float>(block[i]);
        const float from_mean = sample - mean, from_quadrant_mean = sample - quadrant_mean[q];
        whole = whole + from_mean * from_mean;
        part[q] = part[q] + from_quadrant_mean * from_quadrant_mean;
    }
    whole = whole * ((1 / 63.f) * 64);
    VMAF_UNROLL
    for (int q = 0; q < 4; q++) part[q] = part[q] * ((1 / 15.f) * 16);
    return whole > 0.0f ? C::divide(part[0] + part[1] + part[2] + part[3], whole) : 0.0f;
}

// v * factor / 2^kBits, rounded half up.
template <int kBits> VMAF_DEVICE_FN int hvs_scaled(int v, int factor) {
    return (v * factor + (1 << (kBits - 1))) >> kBits;
}

// 9.3: the 8-point transform of x[0], x[kStep], ..., in place. Each lifting step uses the values current at that point.
template <int kStep> VMAF_DEVICE_FN void hvs_transform_line(int *x) {
    const int p = x[0] - x[7 * kStep], p_half = p / 2;
    const int q = x[kStep] + x[6 * kStep], q_half = q / 2;
    const int r = x[3 * kStep] + x[4 * kStep], r_half = r / 2;
    int b3 = x[2 * kStep] - x[5 * kStep];
    int b5 = x[6 * kStep] - q_half;
    int b7 = r_half - x[4 * kStep];

    int a0 = x[0] - p_half + r_half;
    int a6 = a0 - r;
    int a2 = q_half - (x[2 * kStep] - b3 / 2);
    int a4 = a2 - q;

    a0 -= hvs_scaled<15>(a4, 13573);
    a4 += hvs_scaled<14>(a0, 11585);
    a0 -= hvs_scaled<15>(a4, 13573);

    a6 -= hvs_scaled<15>(a2, 21895);
    a2 += hvs_scaled<14>(a6, 15137);
    a6 -= hvs_scaled<15>(a2, 21895);

    b3 += hvs_scaled<15>(b5, 19195);
    b5 += hvs_scaled<14>(b3, 11585);
    b3 -= hvs_scaled<13>(b5, 7489);
    b7 = b5 / 2 - b7;
    b5 -= b7;
    b3 = p_half - b3;
    int b1 = p - b3;

    b7 += hvs_scaled<15>(b1, 3227);
    b1 -= hvs_scaled<15>(b7, 6393);
    b7 += hvs_scaled<15>(b1, 3227);

    b5 += hvs_scaled<13>(b3, 2485);
    b3 -= hvs_scaled<15>(b5, 18205);
    b5 += hvs_scaled<13>(b3, 2485);

    x[0] = a0;
    x[kStep] = b1;
    x[2 * kStep] = a2;
    x[3 * kStep] = b3;
    x[4 * kStep] = a4;
    x[5 * kStep] = b5;
    x[6 * kStep] = a6;
    x[7 * kStep] = b7;
}

// Columns first, then rows: rounding makes the order matter.
VMAF_DEVICE_FN void hvs_transform(int *block) {
    VMAF_UNROLL
    for (int j = 0; j < 8; j++) hvs_transform_line<8>(block + j);
    VMAF_UNROLL
    for (int i = 0; i < 8; i++) hvs_transform_line<1>(block + 8 * i);
}

// 9.1 step 3. A root rounded to double and then to single precision equals the root rounded to single precision.
template <class C> VMAF_DEVICE_FN float hvs_masking_threshold(const int *coefficients, const float *mask, float ratio) {
    float energy = 0.0f;
    VMAF_UNROLL
    for (int i = 1; i < 64; i++) energy = energy + static_cast<float>(coefficients[i] * coefficients[i]) * mask[i];
    return C::square_root(energy * ratio) * 0.03125f;
}

// 9.1 step 4: the squared error of coefficient i. `first`: the block's mean, which nothing masks.
template <class C> VMAF_DEVICE_FN float hvs_error(int s, int d, float csf, float mask, float threshold, bool first) {
    float error = static_cast<float>(s < d ? d - s : s - d);
    if (!first) {
        const float masked = C::divide(threshold, mask);
        error = error < masked ? 0.0f : error - masked;
    }
    const float weighted = error * csf;
    return weighted * weighted;
}

} // namespace kernels
} // namespace vmaf
