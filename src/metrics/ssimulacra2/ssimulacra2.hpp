// SSIMULACRA 2. Section numbers in this folder refer to the chapter on ssimulacra2 in the specification.
#pragma once

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo ssimulacra2_metric;

} // namespace vmaf
