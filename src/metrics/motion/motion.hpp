// `motion`: how much the reference luma changes from frame to frame, in fixed point (motion.md 2). `motion_v2` is an
// older name with separate scores (motion.md 5).
#pragma once

#include <cstdint>
#include <span>

#include "metrics/metric.hpp"
#include "metrics/motion/motion_taps.hpp"

namespace vmaf {

extern const MetricInfo motion_metric;
extern const MetricInfo motion_v2_metric;

namespace motion {

inline constexpr int kRadius = 2;
inline constexpr int kTaps[2 * kRadius + 1] = {kernels::motion_tap(2), kernels::motion_tap(1), kernels::motion_tap(0),
                                               kernels::motion_tap(1), kernels::motion_tap(2)};
inline constexpr int kMinSize = kRadius + 1; // borders are mirrored once

// The prescribed minimum: unlike std::min it returns b when either is NaN.
constexpr double minimum(double a, double b) { return a < b ? a : b; }

// blend() of 1.2: compresses values above `offset` towards it.
constexpr double blend(double value, double factor, double offset) {
    return value * factor + (1 - factor) * minimum(offset, value);
}

// Throws Error for pictures too small to mirror their borders (1.1).
void check_size(std::string_view metric, unsigned width, unsigned height);

// Scratch bytes for one call of a function below; the memory must be aligned to kAlignment.
std::size_t scratch_bytes(int width);

// Sum of |blur(earlier - current)| over the rows begin <= y < end, in units of 1/256 of an 8-bit step (2.3).
template <class T>
using BlurredDifference = std::uint64_t(const PlaneView<T> &earlier, const PlaneView<T> &current, unsigned bits,
                                        int begin, int end, std::byte *scratch);

template <class T>
std::uint64_t blurred_difference(const PlaneView<T> &earlier, const PlaneView<T> &current, unsigned bits, int begin,
                                 int end, std::byte *scratch);

template <class T> BlurredDifference<T> *pick_blurred_difference(Isa isa);

} // namespace motion

} // namespace vmaf
