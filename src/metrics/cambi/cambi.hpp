// CAMBI, the banding index. Section numbers in this folder refer to the chapter on cambi in the specification.
#pragma once

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo cambi_metric;

} // namespace vmaf
