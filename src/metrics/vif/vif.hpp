// `vif`: visual information fidelity of luma on four scales, in fixed point (vif.md 2).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "metrics/metric.hpp"
#include "metrics/vif/vif_taps.hpp"

namespace vmaf {

extern const MetricInfo vif_metric;

namespace vif {

inline constexpr int kScales = 4;
inline constexpr int kSmallestSide = 8; // below it the lowest scale has no pixels

// Filters (2.3). The filter of scale s makes scale s of the pyramid from scale s - 1.
inline constexpr std::array<int, kScales> kTapCount = {17, 9, 5, 3};
using Taps = std::array<std::uint16_t, 17>;
template <int Scale> constexpr Taps taps_of_scale() {
    constexpr int kRadius = kernels::vif_radius(Scale);
    static_assert(2 * kRadius + 1 == kTapCount[Scale]);
    Taps taps{};
    for (int k = 0; k <= 2 * kRadius; k++)
        taps[std::size_t(k)] = std::uint16_t(kernels::vif_tap<Scale>(k < kRadius ? kRadius - k : k - kRadius));
    return taps;
}
inline constexpr std::array<Taps, kScales> kTaps = {taps_of_scale<0>(), taps_of_scale<1>(), taps_of_scale<2>(),
                                                    taps_of_scale<3>()};

inline constexpr std::int32_t kNoiseVariance = 2 * 65536; // variances count 1/65536 of a squared 8-bit step (2.2)
inline constexpr double kVarianceFloor = 65536 * 1.0e-10; // keeps the gain finite

// T[32768..65535] of 2.7: 2048 log2(i), at index i - 32768.
std::span<const std::uint16_t, 32768> log_table();
inline constexpr int kLogOfNoise = 17 * 2048; // the logarithm of kNoiseVariance on this scale

// The sums over the pixels of one scale (2.8).
struct ScaleSums {
    std::int64_t num_log = 0, den_log = 0; // 2048 log2, pixels above the noise
    std::int64_t num_noise = 0;            // distorted variance of the pixels below the noise
    std::int64_t den_noise = 0;            // number of these pixels

    ScaleSums &operator+=(const ScaleSums &other);
    bool operator==(const ScaleSums &) const = default;
};
using FrameSums = std::array<ScaleSums, kScales>;

// `measure` stores the sums in a FrameResult, four integers per scale.
void store_sums(const FrameSums &sums, FrameResult &result);
FrameSums load_sums(const FrameResult &result);

struct ScaleScore {
    float num, den;
};
ScaleScore scale_score(const ScaleSums &sums); // 2.9

} // namespace vif
} // namespace vmaf
