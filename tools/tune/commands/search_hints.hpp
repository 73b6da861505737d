// Where a search begins (tune.md 9.8). Hints change only the number of probes, never the answer.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "commands/quality_target.hpp"
#include "stages/probe.hpp"

namespace vmaf::tune {

// What earlier searches measured for the same source and encoder, with any preset, remembered in the cache.
class SearchHints {
  public:
    SearchHints(Cache *cache, const ProbeSetup &setup, const SearchOptions &options,
                const std::vector<QualityTarget> &targets);
    ~SearchHints();

    // The value where the very same search began before, so that it finds all its probes again; else what earlier
    // probes suggest, `hint`, or the encoder's default for this size of picture.
    double start(std::optional<double> hint) const;
    void remember(double start, const std::vector<ProbeResult> &probes);

  private:
    Cache *cache_;
    const ProbeSetup &setup_;
    QualityTarget target_;
    std::string key_, search_; // of the stored hints; of this search among them
    std::unique_ptr<nlohmann::json> stored_;
};

// Everything that a search's answer depends on, as one name; empty if the source is not identified.
std::string search_identity(const ProbeSetup &setup, const SearchOptions &options,
                            const std::vector<QualityTarget> &targets);

// Where the line between the two points nearest to `target` meets it; nothing for fewer than two points.
std::optional<double> suggested_start(const std::vector<std::pair<double, double>> &q_and_score, double target);

} // namespace vmaf::tune
