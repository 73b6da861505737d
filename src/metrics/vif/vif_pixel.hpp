// The contribution of one pixel to the sums of its scale (vif.md 2.7, 2.8).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "metrics/vif/vif_strip.hpp"

namespace vmaf::vif {

struct Statistics {
    std::int32_t ref_variance, dist_variance, covariance; // s1, s2 (at least 0), s12
};

// LG of 2.7, of 32768 and more; `table` is log_table().
inline int scaled_log2(std::uint32_t z, const std::uint16_t *table) {
    const int k = 16 - std::countl_zero(z);
    return table[(z >> k) - 32768] + 2048 * k; // NOLINT(clang-analyzer-core.UndefinedBinaryOperatorResult)
}

inline void add_pixel(const Statistics &pixel, const GainLimits &limits, const std::uint16_t *table,
                      StripSums &strip_sums) {
    ScaleSums &sums = strip_sums.first;
    if (pixel.ref_variance < kNoiseVariance) {
        sums.num_noise += pixel.dist_variance;
        sums.den_noise += 1;
        return;
    }
    sums.den_log += scaled_log2(std::uint32_t(kNoiseVariance + pixel.ref_variance), table) - kLogOfNoise;
    if (pixel.covariance <= 0 || pixel.dist_variance <= 0) return;
    const double s1 = pixel.ref_variance, s2 = pixel.dist_variance, s12 = pixel.covariance;
    const double gain = s12 / (s1 + kVarianceFloor);
    const double residual = s2 - gain * s12; // with the unlimited gain
    const std::int32_t noise = std::max(std::int32_t(residual), 0) + kNoiseVariance;
    const int log_of_noise = scaled_log2(std::uint32_t(noise), table);
    const auto num_log = [&](double gain_limit) {
        const double limited = gain < gain_limit ? gain : gain_limit;
        const auto signal = std::int32_t((limited * limited) * s1);
        return scaled_log2(std::uint32_t(noise + signal), table) - log_of_noise;
    };
    sums.num_log += num_log(limits.values[0]);
    if (limits.count > 1) strip_sums.second_num_log += num_log(limits.values[1]);
}

} // namespace vmaf::vif
