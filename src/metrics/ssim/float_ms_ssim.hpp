// `float_ms_ssim`: structural similarity of luma over five scales (fidelity.md 8).
#pragma once

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo float_ms_ssim_metric;

inline constexpr std::size_t kMsSsimScales = 5;
// Luminance counts only at the coarsest scale: its exponent is 0 elsewhere.
bool ms_ssim_wants_luminance(std::size_t scale, bool enable_lcs);

} // namespace vmaf
