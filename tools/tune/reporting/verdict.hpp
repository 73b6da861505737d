// The headline of a report: which configuration needs the least bitrate at the target, how much it saves relative to
// the baseline, and how much that varies between sources.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "curves/bd_rate.hpp"
#include "reporting/report_data.hpp"

namespace vmaf::tune {

// Savings in percent of the baseline's bitrate; negative: needs more.
struct Saving {
    double mean = 0; // geometric mean of the ratios
    double low = 0, high = 0;
    std::size_t sources = 0;
};

struct Contender {
    std::string name;
    std::vector<std::optional<double>> kbps; // at the target, per source; empty: its curve does not reach it
    std::vector<RateInterval> intervals;     // of these bitrates
    Saving saving;
};

struct SourceVerdict {
    std::string src, winner;
    double kbps = 0;
    std::optional<double> saving; // relative to the baseline
};

// One kind of score over all sources.
struct Verdict {
    std::string score_name;
    double target = 0;
    bool is_given = false; // by the user; else derived from the curves
    std::string baseline, winner;
    std::vector<Contender> contenders; // best first
    std::vector<SourceVerdict> sources;
    std::vector<std::string> tied;     // with the winner: the points are too far apart to tell
    std::vector<std::string> excluded; // what cannot be compared, with the reason
    bool has_winner() const { return contenders.size() > 1; }
    std::string sentence() const;
};

// For the panels of one kind of score. Empty if fewer than two configurations reach a common score, unless a target was
// given: then it uses that, and lists what cannot be compared.
std::optional<Verdict> find_verdict(const std::vector<const Panel *> &panels, const std::vector<double> &targets,
                                    const std::string &baseline);

// Average BD-rates over sources: the row's configuration relative to the column's.
struct AverageRate {
    double mean = 0, low = 0, high = 0;
    std::size_t sources = 0; // 0: the curves never overlap
};
struct RateMatrix {
    std::vector<std::string> names;
    std::vector<std::vector<AverageRate>> cells;
};
RateMatrix average_bd_rates(const std::vector<const Panel *> &panels);

// Panels by kind of score, in order of first appearance.
std::vector<std::vector<const Panel *>> panels_by_score(const std::vector<Panel> &panels);

} // namespace vmaf::tune
