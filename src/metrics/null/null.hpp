// `null`: no scores; for timing everything except the metrics.
#pragma once

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo null_metric;

} // namespace vmaf
