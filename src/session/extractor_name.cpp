#include "session/extractor_name.hpp"

#include <algorithm>
#include <array>

#include "device/backends.hpp"
#include "metrics/registry.hpp"

namespace vmaf {

namespace {

bool is_suffix(std::string_view name, std::string_view backend) {
    return !backend.empty() && name.size() > backend.size() + 1 && name.ends_with(backend) &&
           name[name.size() - backend.size() - 1] == '_';
}

// Pinned names also accept these aliases.
std::string_view without_alias(std::string_view name) {
    constexpr std::array<std::string_view, 9> kIntegers = {"adm",      "vif",   "motion", "motion_v2", "psnr",
                                                           "psnr_hvs", "cambi", "ciede",  "ssim"};
    constexpr std::string_view kPrefix = "integer_";
    if (name == "ms_ssim" || name == "integer_ms_ssim") return "float_ms_ssim";
    if (!name.starts_with(kPrefix)) return name;
    const std::string_view rest = name.substr(kPrefix.size());
    return std::find(kIntegers.begin(), kIntegers.end(), rest) != kIntegers.end() ? rest : name;
}

} // namespace

ExtractorName parse_extractor_name(std::string_view name, std::string_view active) {
    const auto pinned = [&](std::string_view backend) {
        const MetricInfo *info = find_metric(without_alias(name.substr(0, name.size() - backend.size() - 1)));
        return ExtractorName{info && info->on_devices ? info : nullptr, std::string(backend)};
    };
    if (const BackendRow *const row = pinned_backend(name)) return pinned(row->name);
    if (active != "cpu" && is_suffix(name, active)) return pinned(active);
    return {find_metric(name), {}};
}

std::string plain_extractor_name(std::string_view name) {
    const MetricInfo *info = find_metric(name);
    if (!info) info = find_metric(without_alias(name));
    return info ? std::string(info->name) : std::string();
}

} // namespace vmaf
