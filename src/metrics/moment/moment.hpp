// `float_moment`: first and second moments of luma on the 8-bit scale (fidelity.md 4).
#pragma once

#include <cstdint>

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo float_moment_metric;

namespace moment {

// In the samples' own units. Squares of 16-bit samples are each rounded to single precision, and summed in raster
// order, which matters only above 2^53.
struct Sums {
    double first, second;
};

template <class T> using PlaneSums = Sums(const PlaneView<T> &plane, unsigned bits);
template <class T> Sums plane_sums(const PlaneView<T> &plane, unsigned bits);
template <class T> PlaneSums<T> *pick_plane_sums(Isa isa);

// Stores a frame's sums in its result.
void store_moments(const Sums &ref, const Sums &dist, const PictureFormat &format, FrameResult &result);

} // namespace moment

} // namespace vmaf
