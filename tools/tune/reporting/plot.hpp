// Line charts and histograms as SVG, both for separate files and inside the report's page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vmaf::tune {

struct PlotPoint {
    double x = 0, y = 0;
    std::string note; // tooltip, in full precision
};

struct PlotLine {
    enum class Style { line, dashed, marks, bars };
    std::string name;
    std::vector<PlotPoint> points;
    Style style = Style::line;
    bool marks = true;
    int colour = 0; // index of a colour and a shape; -1: neutral
};

// A value marked across the whole plot.
struct PlotRule {
    double at = 0;
    std::string label;
};

struct Plot {
    std::string id;    // "rate-quality-1": unique in a page, and the name of exported files
    std::string title; // a description for people who cannot see the picture
    std::string x_label, y_label;
    bool log_x = false;
    bool numbered = false; // numbers the points: the path of a search
    std::vector<PlotLine> lines;
    std::vector<PlotRule> horizontal, vertical;
};

// An SVG document with its colours. Equal input gives equal text.
std::string svg_text(const Plot &plot);

// Colours and shapes of charts, for light and dark themes.
std::string_view plot_style();

// Ticks at round values inside [low, high].
std::vector<double> linear_ticks(double low, double high, int about);
std::vector<double> log_ticks(double low, double high);

} // namespace vmaf::tune
