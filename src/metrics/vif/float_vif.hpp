// `float_vif`: visual information fidelity of luma on four scales, in single precision (vif.md 3).
#pragma once

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo float_vif_metric;

} // namespace vmaf
