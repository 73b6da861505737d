// Data for the script of the report's page: charts, frames and pictures as JSON.
#pragma once

#include <string>
#include <vector>

#include "reporting/page.hpp"
#include "reporting/verdict.hpp"

namespace vmaf::tune {

// One kind of score: its panels and their verdict.
struct ScoreView {
    std::string name;
    std::vector<const Panel *> panels;
    std::optional<Verdict> verdict;
};

struct PageModel {
    std::vector<ScoreView> scores;    // the rows' own first
    std::vector<std::string> sources; // in order of their first rows
    std::vector<Chart> curves;        // of panels, each with its score and source
    struct Place {
        std::size_t score, source;
    };
    std::vector<Place> curve_places;
    std::vector<std::size_t> encodes;              // frames near the target: worth showing
    std::vector<const Chart *> others, histograms; // charts other than curves
};

PageModel make_model(const ReportContent &content);

// Safe inside a script element.
std::string page_data(const ReportContent &content, const PageModel &model);

// The index of a chart of `others` or `histograms` in the data.
std::size_t plot_number(const PageModel &model, const Chart *chart);

} // namespace vmaf::tune
