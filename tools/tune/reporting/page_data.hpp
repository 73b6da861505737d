// What the script of the report's page works with: charts, frames and pictures as JSON.
#pragma once

#include <string>
#include <vector>

#include "reporting/page.hpp"
#include "reporting/verdict.hpp"

namespace vmaf::tune {

// One kind of score: its panels, and what they say.
struct ScoreView {
    std::string name;
    std::vector<const Panel *> panels;
    std::optional<Verdict> verdict;
};

struct PageModel {
    std::vector<ScoreView> scores;    // the rows' own first
    std::vector<std::string> sources; // in the order of their first rows
    std::vector<Chart> curves;        // of panels, each with its score and its source
    struct Place {
        std::size_t score, source;
    };
    std::vector<Place> curve_places;
    std::vector<std::size_t> encodes;              // frames near the target: those worth looking at
    std::vector<const Chart *> others, histograms; // charts that are no curves
};

PageModel make_model(const ReportContent &content);

// Safe inside a script element.
std::string page_data(const ReportContent &content, const PageModel &model);

// Where a chart of `others` and `histograms` lies in the data.
std::size_t plot_number(const PageModel &model, const Chart *chart);

} // namespace vmaf::tune
