// `adm`: detail loss and additive impairment on four wavelet scales of luma, in fixed point (adm.md 1 to 3).
#pragma once

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo adm_metric;

} // namespace vmaf
