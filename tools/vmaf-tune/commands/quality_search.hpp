// One search for a quality target with real probes (tune.md 9): the grid of a knob, limits, and the result as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run.hpp"
#include "search/search.hpp"

namespace vmaf::tune {

struct QualityTarget {
    std::string metric, pool;
    double value = 0;
};

// --target-vmaf, --target and --metric as a list; at least one, else CommandError.
std::vector<QualityTarget> quality_targets(const Options &options, std::optional<double> fallback);
QualityTarget parse_target(const std::string &text, const std::string &default_pool);

// The points of a search, k = 0 being the best quality.
class QualityGrid {
  public:
    QualityGrid(const Adapter &adapter, const Options &options, double default_step);
    int last() const { return last_; }
    double q(int k) const;
    int nearest(double q) const;
    double step() const { return step_; }

  private:
    double low_, high_, step_;
    bool higher_is_better_;
    int last_;
};

struct SearchReport {
    SearchStatus status = SearchStatus::unmet;
    bool failed = false; // a probe failed
    std::string error;
    double q = 0, score = 0, target = 0, margin = 0;
    double bitrate_kbps = 0, predicted_bytes = 0, predicted_percent = 0, predicted_seconds = 0, encode_seconds = 0,
           encode_fps = 0, elapsed = 0;
    std::string encoder_version;
    std::vector<ProbeResult> probes; // in the order of measuring
    bool non_monotone = false, plateau = false, at_bound = false;
    std::string reason; // why there is no answer
    bool ok() const { return !failed && status == SearchStatus::ok; }
};

SearchReport search_quality(Run &run, const ProbeSetup &setup, const std::vector<QualityTarget> &targets,
                            double default_step, std::optional<double> hint = std::nullopt);

nlohmann::json search_json(const ProbeSetup &setup, const SearchReport &report,
                           const std::vector<QualityTarget> &targets);
const char *status_word(const SearchReport &report);

// Value of a metric over all frames of a probe.
double probe_score(const ProbeResult &probe, const std::string &metric, const std::string &pool);
double predicted_size(const ProbeSetup &setup, const ProbeResult &probe);

// A command line that encodes with the answer.
Arguments encode_hint(const Options &options, const ProbeSetup &setup, double q);

} // namespace vmaf::tune
