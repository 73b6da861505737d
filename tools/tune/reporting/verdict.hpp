// What a report says first: which configuration needs least bitrate at the target, how much that saves against the
// baseline, and how far that differs from source to source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reporting/report_data.hpp"

namespace vmaf::tune {

// Savings in percent of the baseline's bitrate; negative: it needs more.
struct Saving {
    double mean = 0; // of the ratios, geometric
    double low = 0, high = 0;
    std::size_t sources = 0;
};

struct Contender {
    std::string name;
    std::vector<std::optional<double>> kbps; // at the target, by source; none: its curve does not reach it
    Saving saving;
};

struct SourceVerdict {
    std::string src, winner;
    double kbps = 0;
    std::optional<double> saving; // against the baseline
};

// One kind of score over all sources.
struct Verdict {
    std::string score_name;
    double target = 0;
    bool is_given = false; // by the user; else chosen from what the curves reach
    std::string baseline, winner;
    std::vector<Contender> contenders; // the best first
    std::vector<SourceVerdict> sources;
    std::vector<std::string> excluded; // who cannot be compared, each with the reason
    bool has_winner() const { return contenders.size() > 1; }
    std::string sentence() const;
};

// For the panels of one kind of score. Nothing where fewer than two configurations reach a common score, unless a
// target was given: then it is the target, and who cannot be compared is listed.
std::optional<Verdict> find_verdict(const std::vector<const Panel *> &panels, const std::vector<double> &targets,
                                    const std::string &baseline);

// Average BD-rates over sources: of the row's configuration against the column's.
struct AverageRate {
    double mean = 0, low = 0, high = 0;
    std::size_t sources = 0; // none: the curves have no common range anywhere
};
struct RateMatrix {
    std::vector<std::string> names;
    std::vector<std::vector<AverageRate>> cells;
};
RateMatrix average_bd_rates(const std::vector<const Panel *> &panels);

// Panels of the same kind of score, in the order of their first appearance.
std::vector<std::vector<const Panel *>> panels_by_score(const std::vector<Panel> &panels);

// The bitrate at which a curve reaches a score.
std::optional<double> rate_at(const Curve &curve, double score);

} // namespace vmaf::tune
