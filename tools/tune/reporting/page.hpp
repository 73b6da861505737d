// The report as one HTML page that needs nothing but itself, or as Markdown.
#pragma once

#include <string>
#include <vector>

#include "reporting/charts.hpp"
#include "reporting/thumbnails.hpp"

namespace vmaf::tune {

struct ReportPictures {
    std::vector<Thumbnail> thumbnails;
    std::string missing; // why there are none
};

struct ReportContent {
    std::string title;
    ReportData data;
    std::vector<Chart> charts;
    std::vector<ReportPictures> pictures; // one per FrameScores
};

std::string html_page(const ReportContent &content);
std::string markdown_page(const ReportContent &content);

std::string base64(std::string_view bytes);
std::string_view page_style();
std::string_view page_script();

} // namespace vmaf::tune
