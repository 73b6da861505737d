// `float_adm`: `adm` in single precision, with more options (adm.md 1, 2 and 4).
#pragma once

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo float_adm_metric;

} // namespace vmaf
