// `float_ms_ssim`: structural similarity of luma over five scales (fidelity.md 8).
#pragma once

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo float_ms_ssim_metric;

} // namespace vmaf
