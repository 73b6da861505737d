#include "io/video_tags.hpp"

#include <cmath>
#include <numbers>

namespace vmaf {

std::string to_string(SampleRange range) {
    switch (range) {
    case SampleRange::limited: return "limited";
    case SampleRange::full: return "full";
    default: return "unknown";
    }
}

std::string ffmpeg_name(SampleRange range) {
    switch (range) {
    case SampleRange::limited: return "tv";
    case SampleRange::full: return "pc";
    default: return "";
    }
}

SampleRange range_of_ffmpeg_name(std::string_view name) {
    return name == "tv" ? SampleRange::limited : name == "pc" ? SampleRange::full : SampleRange::unknown;
}

bool VideoTags::is_pq() const {
    return transfer == "smpte2084" || transfer == "smpte-st-2084" || transfer == "smpte_st_2084";
}

bool VideoTags::is_hlg() const {
    return transfer == "arib-std-b67" || transfer == "arib_std_b67" || transfer == "aribstdb67" || transfer == "hlg";
}

Orientation orientation_of(const std::array<double, 9> &m, double tolerance) {
    const double across = std::hypot(m[0], m[3]), down = std::hypot(m[1], m[4]);
    if (across == 0 || down == 0) return {};
    double degrees = std::atan2(m[1] / down, m[0] / across) * 180 / std::numbers::pi;
    degrees -= 360 * std::floor(degrees / 360 + 0.9 / 360);
    const auto is = [&](double angle) { return std::fabs(degrees - angle) < tolerance; };
    if (is(90)) return {m[3] > 0 ? 270 : 90, m[3] > 0};
    if (is(180)) return {m[4] < 0 ? 180 : 0, (m[0] < 0) != (m[4] < 0)};
    if (is(270)) return {m[3] < 0 ? 90 : 270, m[3] < 0};
    if (is(0)) return {m[4] < 0 ? 180 : 0, m[4] < 0};
    return {0, false, degrees};
}

} // namespace vmaf
