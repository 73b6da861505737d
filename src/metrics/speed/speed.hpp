// `speed_chroma` and `speed_temporal`: how much the entropy of 5x5 blocks differs between two pictures, for chroma and
// for the change of luma between frames (speed.md).
#pragma once

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo speed_chroma_metric;
extern const MetricInfo speed_temporal_metric;

} // namespace vmaf
