#include "scores/feature_name.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "metrics/registry.hpp"

namespace vmaf {

namespace {

constexpr std::size_t kMaxNameLength = 255;

constexpr auto kFloatNames = std::to_array<std::string_view>(
    {"adm2", "aim", "adm3", "adm_scale0", "adm_scale1", "adm_scale2", "adm_scale3", "motion", "motion2", "motion3",
     "vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3"});
constexpr auto kSpeedChromaNames =
    std::to_array<std::string_view>({"speed_chroma_u", "speed_chroma_v", "speed_chroma_uv"});

// The part of `name` between `prefix` and "_score", if it is a known name.
template <std::size_t N>
std::string_view inner(std::string_view name, std::string_view prefix, const std::array<std::string_view, N> &known) {
    constexpr std::string_view kEnd = "_score";
    if (!name.starts_with(prefix) || !name.ends_with(kEnd) || name.size() <= prefix.size() + kEnd.size()) return {};
    const std::string_view middle = name.substr(prefix.size(), name.size() - prefix.size() - kEnd.size());
    return std::find(known.begin(), known.end(), middle) == known.end() ? std::string_view{} : middle;
}

struct IntegerAlias {
    std::string_view full, alias;
};
constexpr auto kIntegerAliases = std::to_array<IntegerAlias>({
    {"VMAF_integer_feature_adm2_score", "integer_adm2"},
    {"VMAF_integer_feature_aim_score", "integer_aim"},
    {"VMAF_integer_feature_adm3_score", "integer_adm3"},
    {"VMAF_integer_feature_motion_score", "integer_motion"},
    {"VMAF_integer_feature_motion2_score", "integer_motion2"},
    {"VMAF_integer_feature_motion3_score", "integer_motion3"},
    {"VMAF_integer_feature_vif_scale0_score", "integer_vif_scale0"},
    {"VMAF_integer_feature_vif_scale1_score", "integer_vif_scale1"},
    {"VMAF_integer_feature_vif_scale2_score", "integer_vif_scale2"},
    {"VMAF_integer_feature_vif_scale3_score", "integer_vif_scale3"},
});

} // namespace

std::string_view feature_alias(std::string_view name) {
    for (const IntegerAlias &entry : kIntegerAliases)
        if (entry.full == name) return entry.alias;
    if (const auto x = inner(name, "VMAF_feature_", kFloatNames); !x.empty()) return x;
    if (name == "Cambi_feature_cambi_score") return "cambi";
    if (const auto x = inner(name, "Speed_chroma_feature_", kSpeedChromaNames); !x.empty()) return x;
    if (name == "Speed_temporal_feature_speed_temporal_score") return "speed_temporal";
    return name;
}

std::string stored_name(std::string_view feature, const std::string &suffix) {
    if (suffix.empty()) return std::string(feature);
    return (std::string(feature_alias(feature)) + suffix).substr(0, kMaxNameLength);
}

std::string stored_name_for_model(std::string_view feature, const OptionTexts &options) {
    const MetricInfo *metric = provider_of(feature);
    if (!metric) throw invalid("no feature extractor provides '" + std::string(feature) + "', which the model needs");
    return stored_name(feature, OptionValues(metric->name, metric->options, options).name_suffix());
}

} // namespace vmaf
