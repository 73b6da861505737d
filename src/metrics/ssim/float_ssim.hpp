// `float_ssim`: structural similarity of luma, reduced for viewing distance (fidelity.md 7).
#pragma once

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo float_ssim_metric;

} // namespace vmaf
