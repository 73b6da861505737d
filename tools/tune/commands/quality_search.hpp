// Searches for a quality target with real probes (tune.md 9): hints, limits, samples, and findings.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "commands/quality_target.hpp"
#include "search/search.hpp"
#include "stages/aggregate.hpp"

namespace vmaf::tune {

// A probe with its score.
struct SearchPoint {
    double q = 0, score = 0, bitrate_kbps = 0;
};

struct SearchReport {
    SearchStatus status = SearchStatus::unmet;
    Outcome outcome;         // of the failed probe
    std::optional<double> q; // empty with an encoder's own rate control
    double score = 0, target = 0, margin = 0;
    std::vector<double> further_scores; // of the second and further targets
    double bitrate_kbps = 0, encode_seconds = 0, encode_fps = 0, elapsed = 0;
    Prediction prediction;
    std::string encoder_version;
    std::string scored;              // the conditions, as a line for users
    std::string conditions;          // as JSON
    std::vector<ProbeResult> probes; // in the order of measuring
    bool non_monotone = false, plateau = false, at_bound = false;
    std::optional<SearchPoint> best_passing, best_fitting; // the closest points if there is no solution
    std::vector<SearchPoint> verified;                     // encodes of the whole, with --verify-full
    std::string reason;                                    // why there is no answer
    bool failed() const { return !outcome.ok(); }
    bool ok() const { return !failed() && status == SearchStatus::ok; }
};

// Receives each probe as soon as it is done.
using ProbeListener = std::function<void(const ProbeResult &probe)>;

// Searches over one source, encoder and preset. Measurements for one target serve the next.
class QualitySearch {
  public:
    // `targets` name the metrics to measure.
    QualitySearch(Run &run, const SearchOptions &options, const ProbeSetup &setup,
                  const std::vector<QualityTarget> &targets, double default_step);

    ProbeListener on_probe;
    // Known quality values and scores of this set-up for the next target: they guide the search, but answers are
    // measured anyway. Used by `interp`.
    std::vector<std::pair<double, double>> known_scores;
    // Throws CommandError if interrupted; the report notes a failed probe.
    SearchReport find(const std::vector<QualityTarget> &targets, std::optional<double> hint = std::nullopt);
    const ProbeSetup &setup() const { return setup_; }

  private:
    using Samples = std::vector<std::size_t>; // which of them; empty: all

    SearchReport find_once(const std::vector<QualityTarget> &targets, std::optional<double> hint);
    const ProbeResult &measure(int k, const Samples &focus);
    void tell(const ProbeResult &probe, const std::vector<QualityTarget> &targets);
    double score_of(const ProbeResult &probe, const QualityTarget &target) const;
    const QualityTarget &least_met(const ProbeResult &probe, const std::vector<QualityTarget> &targets) const;
    double margin_of(const ProbeResult &probe, const std::vector<QualityTarget> &targets) const; // on searches' scale
    bool fits(const ProbeResult &probe) const;
    std::string missed_text(const ProbeResult &probe, const std::vector<QualityTarget> &targets) const;
    std::string scores_text(const ProbeResult &probe, const std::vector<QualityTarget> &targets) const;
    std::string size_text() const; // of a ladder's rung
    SearchSettings settings(const std::vector<QualityTarget> &targets) const;
    SearchPoint point(const ProbeResult &probe, const QualityTarget &target) const;
    void describe(SearchReport &report, const SearchAnswer &answer, const std::vector<QualityTarget> &targets);
    void verify_whole(SearchReport &report, const std::vector<QualityTarget> &targets);
    void fill(SearchReport &report, const ProbeSetup &setup, const ProbeResult &probe,
              const std::vector<QualityTarget> &targets) const;

    Run &run_;
    SearchOptions options_;
    ProbeSetup setup_;
    QualityGrid grid_;
    double max_bytes_ = 0;
    std::map<std::pair<int, Samples>, std::size_t> known_; // -> index in probes_
    std::vector<ProbeResult> probes_;
    bool is_backend_lost_ = false;
};

// The quality with the bitrate closest to a wish, or one probe with the encoder's own rate control (9.11).
SearchReport search_bitrate(Run &run, const SearchOptions &options, const ProbeSetup &setup, double wish,
                            const ProbeListener &on_probe);

// The score over all samples, as the set-up defines it.
double probe_score(const ProbeSetup &setup, const ProbeResult &probe, const std::string &metric,
                   const std::string &pool);

} // namespace vmaf::tune
