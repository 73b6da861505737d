#include "metrics/registry.hpp"

#include <algorithm>
#include <array>

#include "config.h"
#include "metrics/adm/adm.hpp"
#include "metrics/adm/float_adm.hpp"
#include "metrics/ansnr/ansnr.hpp"
#include "metrics/cambi/cambi.hpp"
#include "metrics/ciede/ciede.hpp"
#include "metrics/moment/moment.hpp"
#include "metrics/motion/float_motion.hpp"
#include "metrics/motion/motion.hpp"
#include "metrics/null/null.hpp"
#include "metrics/psnr/float_psnr.hpp"
#include "metrics/psnr/psnr.hpp"
#include "metrics/psnr_hvs/psnr_hvs.hpp"
#include "metrics/speed/speed.hpp"
#include "metrics/ssim/float_ms_ssim.hpp"
#include "metrics/ssim/float_ssim.hpp"
#include "metrics/ssim/ssim.hpp"
#include "metrics/ssimulacra2/ssimulacra2.hpp"
#include "metrics/vif/float_vif.hpp"
#include "metrics/vif/vif.hpp"
#include "metrics/xpsnr/xpsnr.hpp"

namespace vmaf {

namespace {

// Search order of models.md 5.3.
// clang-format off
constexpr auto kMetrics = std::to_array<const MetricInfo *>({
#if VMAF_ENABLE_FLOAT
    &float_psnr_metric,
    &float_ansnr_metric,
    &float_adm_metric,
    &float_vif_metric,
    &float_motion_metric,
    &float_moment_metric,
#endif
    &speed_chroma_metric,
    &speed_temporal_metric,
    &float_ms_ssim_metric,
    &float_ssim_metric,
    &ciede_metric,
    &psnr_metric,
    &psnr_hvs_metric,
    &adm_metric,
    &motion_metric,
    &motion_v2_metric,
    &vif_metric,
    &cambi_metric,
    &null_metric,
    &ssim_metric,
    &ssimulacra2_metric,
    &xpsnr_metric,
});
// clang-format on

} // namespace

std::span<const MetricInfo *const> all_metrics() { return kMetrics; }

const MetricInfo *find_metric(std::string_view extractor_name) {
    const auto *const found =
        std::find_if(kMetrics.begin(), kMetrics.end(), [&](const MetricInfo *m) { return m->name == extractor_name; });
    return found == kMetrics.end() ? nullptr : *found;
}

const MetricInfo *provider_of(std::string_view feature_name) {
    for (const MetricInfo *metric : kMetrics)
        if (std::find(metric->provides.begin(), metric->provides.end(), feature_name) != metric->provides.end())
            return metric;
    return nullptr;
}

} // namespace vmaf
