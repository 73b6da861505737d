// The targets of a search, and the values that it may try (tune.md 9.1, 9.9).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/run.hpp"

namespace vmaf::tune {

struct QualityTarget {
    std::string metric, pool;
    double value = 0;
};

// Parses --target-vmaf, --target and --metric to a list; CommandError if empty. If no target uses the metric of
// --metric, the first target's metric replaces it: metrics without a target are not computed (--also records
// more).
void take_metric_of_targets(const SearchOptions &search, ScoringOptions &scoring);

std::vector<QualityTarget> quality_targets(const SearchOptions &search, const ScoringOptions &scoring,
                                           std::optional<double> fallback);
QualityTarget parse_target(const std::string &text, const std::string &default_pool,
                           const std::string &default_metric = "vmaf");

void check_target(const QualityTarget &target); // throws CommandError for impossible scores

// How far a score exceeds its target, where higher is better.
double margin_above(const QualityTarget &target, double score);

// Throws CommandError for metrics whose curves the commands `fast` and `predict` do not know.
void check_curve_metric(const std::string &command, const std::string &metric);

// A score on the scale of searches, where tolerances mean the same for every metric: ssim and ms_ssim in dB,
// -10 log10(1 - score), others as they are (tune.md 9.1).
double search_score(const std::string &metric, double score);
double search_margin(const QualityTarget &target, double score);

// The points of a search, k = 0 being the best quality.
class QualityGrid {
  public:
    QualityGrid(const Adapter &adapter, const SearchOptions &options, double default_step);
    int last() const { return last_; }
    double q(int k) const;
    int nearest(double q) const;
    double step() const { return step_; }
    int points_in(double distance) const; // of the knob; at least one
    int first_multiple(double distance) const;

  private:
    double low_, high_, step_;
    bool higher_is_better_;
    int last_;
};

} // namespace vmaf::tune
