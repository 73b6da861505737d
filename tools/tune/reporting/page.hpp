// The report as a self-contained HTML page, or as Markdown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reporting/charts.hpp"
#include "reporting/heat_map.hpp"
#include "reporting/thumbnails.hpp"

namespace vmaf::tune {

struct ReportPictures {
    std::vector<Thumbnail> thumbnails;
    std::string missing; // why there are none
    std::optional<HeatMap> heat;
    std::string heat_missing; // why there is none, although scores have a map
};

struct ReportContent {
    std::string title;
    ReportData data;
    std::vector<Chart> charts;
    std::vector<ReportPictures> pictures; // one per FrameScores
    std::vector<double> targets;
    std::string baseline; // a configuration's name, or its prefix
};

// Encodes to show: per source and configuration the one closest to the target.
constexpr std::size_t kShownEncodes = 12; // a page with hundreds of pictures would be useless
std::vector<std::size_t> encodes_near(const ReportData &data, double target, std::size_t most);
double target_of(const ReportData &data, const std::vector<double> &targets, const std::string &baseline);

std::string html_page(const ReportContent &content);
std::string markdown_page(const ReportContent &content);

std::string base64(std::string_view bytes);
// The files of tools/tune/report.
std::string_view page_template();
std::string_view page_style();
std::string_view page_script();

} // namespace vmaf::tune
