// `psnr`: peak signal-to-noise ratio of each plane from exact integer sums (fidelity.md 2).
#pragma once

#include <cstdint>
#include <utility>

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo psnr_metric;

namespace psnr {

// Minimum and maximum as in fidelity.md 1.1: if the first argument is NaN, they return the second.
constexpr double lesser(double a, double b) { return a < b ? a : b; }
constexpr double greater(double a, double b) { return a > b ? a : b; }

// Sum of (ref - dist)^2 over the rows begin <= y < end, for samples of at most `bits` bits.
template <class T>
using SquaredError = std::uint64_t(const PlaneView<T> &ref, const PlaneView<T> &dist, unsigned bits, int begin,
                                   int end);

template <class T>
std::uint64_t squared_error(const PlaneView<T> &ref, const PlaneView<T> &dist, unsigned bits, int begin, int end);

template <class T> SquaredError<T> *pick_squared_error(Isa isa);

// How often the columns and rows of a plane are halved.
std::pair<int, int> chroma_shifts(const PictureFormat &format, unsigned plane);

// For a whole plane of two pictures, using the threads of `parallel`.
std::uint64_t plane_squared_error(const Picture &ref, const Picture &dist, unsigned plane, Isa isa, Parallel &parallel);

} // namespace psnr

} // namespace vmaf
