// Where a search starts (tune.md 9.8). Hints only change the number of probes, never the answer.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "commands/quality_target.hpp"
#include "stages/probe.hpp"

namespace vmaf::tune {

// Measurements of earlier searches for the same source and encoder, with any preset, kept in the cache.
class SearchHints {
  public:
    SearchHints(Cache *cache, const ProbeSetup &setup, const SearchOptions &options,
                const std::vector<QualityTarget> &targets);
    ~SearchHints();

    // The starting value of an identical earlier search, so that it finds all its probes again; else a value suggested
    // by earlier probes, `hint`, or the encoder's default for this picture size.
    double start(std::optional<double> hint) const;
    void remember(double start, const std::vector<ProbeResult> &probes);

  private:
    Cache *cache_;
    const ProbeSetup &setup_;
    QualityTarget target_;
    std::string key_, search_; // of the stored hints; of this search among them
    std::unique_ptr<nlohmann::json> stored_;
};

// Identifies everything that a search's answer depends on; empty if the source is not identified.
std::string search_identity(const ProbeSetup &setup, const SearchOptions &options,
                            const std::vector<QualityTarget> &targets);

// Where the line through the two points closest to `target` meets it; empty for fewer than two points.
std::optional<double> suggested_start(const std::vector<std::pair<double, double>> &q_and_score, double target);

} // namespace vmaf::tune
