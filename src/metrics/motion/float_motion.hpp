// `float_motion`: motion of the reference in single precision, with a fixed order of operations (motion.md 3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo float_motion_metric;

namespace float_motion {

inline constexpr float kOffset = -128.0f; // of samples on the 8-bit scale
inline constexpr std::array<float, 1> kTaps1 = {1.0f};
inline constexpr std::array<float, 3> kTaps3 = {0.166378498f, 0.667243004f, 0.166378498f};
inline constexpr std::array<float, 5> kTaps5 = {0.054488685f, 0.244201342f, 0.402619947f, 0.244201342f, 0.054488685f};

// Scratch bytes for one call, aligned to kAlignment.
std::size_t scratch_bytes(int width);

// lines[y] = sum over x, left to right, of |blur(a) - blur(b)|, for rows begin <= y < end (3.3, 3.4).
template <class T>
using LineDifferences = void(const PlaneView<T> &a, const PlaneView<T> &b, unsigned bits, std::span<const float> taps,
                             int begin, int end, float *lines, std::byte *scratch);

template <class T>
void line_differences(const PlaneView<T> &a, const PlaneView<T> &b, unsigned bits, std::span<const float> taps,
                      int begin, int end, float *lines, std::byte *scratch);

template <class T> LineDifferences<T> *pick_line_differences(Isa isa);

} // namespace float_motion

} // namespace vmaf
