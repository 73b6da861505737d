// `null`: scores nothing; for timing everything around the metrics.
#pragma once

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo null_metric;

} // namespace vmaf
