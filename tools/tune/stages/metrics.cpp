// The metrics that targets, searches and reports know.
#include "stages/score.hpp"

namespace vmaf::tune {

namespace {

const std::vector<MetricChoice> &metric_table() {
    static const std::vector<MetricChoice> table = {
        {"vmaf", "vmaf", "", false, true, 95},
        {"vmaf_neg", "vmaf_neg", "", false, true, 95},
        {"ssimulacra2", "ssimulacra2", "ssimulacra2", false, true, 80},
        {"psnr", "psnr_y", "psnr", false, false, 42},
        {kXpsnr, kXpsnr, kXpsnr, false, false, 40},
        {"psnr_hvs", "psnr_hvs", "psnr_hvs", false, false, 42},
        {"ssim", "float_ssim", "float_ssim", false, false, 0.98, true},
        {"ms_ssim", "float_ms_ssim", "float_ms_ssim", false, false, 0.98, true},
        {"cambi", "cambi", "cambi", true, false, 5},
    };
    return table;
}

} // namespace

std::optional<MetricChoice> metric_choice(const std::string &name) {
    for (const MetricChoice &metric : metric_table())
        if (metric.name == name) return metric;
    return std::nullopt;
}

std::vector<std::string> metric_names() {
    std::vector<std::string> names;
    for (const MetricChoice &metric : metric_table()) names.push_back(metric.name);
    return names;
}

} // namespace vmaf::tune
