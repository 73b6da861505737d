// Answers from existing rows, without encoding (tune.md 12.2).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "commands/quality_target.hpp"
#include "curves/bd_rate.hpp"
#include "rows/row_scan.hpp"

namespace vmaf::tune {

// A row of one source, encoder and preset, with its score.
struct CorpusPoint {
    double q = 0, score = 0, kbps = 0;
    bool passes = false; // meets all targets
};

// A row's score for a target; empty if the row lacks it.
std::optional<double> corpus_score(const ScannedRow &row, const QualityTarget &target);

// Flags that the row's encode needs in addition to encoder, preset and quality (FFmpeg's own in older rows), and its
// size if the source was scaled.
Arguments options_of(const ScannedRow &row);
std::string encode_size_text(const ScannedRow &row);

struct CorpusAnswer {
    CorpusPoint point;
    bool is_met = false, is_too_large = false, is_interpolated = false;
    RateInterval kbps; // of the bitrate at the target; low is 0 if every row is above the target
};

// The cheapest passing point; at equal bitrate the higher score, then the better quality. If none passes, the one with
// the highest score.
CorpusAnswer cheapest_pass(std::span<const CorpusPoint> points, bool higher_q_is_better,
                           std::optional<double> max_kbps);

// Between two neighbouring points: a monotone cubic of the score over log bitrate meets the target. Rounds the quality
// value to `step`, towards better quality.
CorpusAnswer interpolated_pass(std::span<const CorpusPoint> points, double target, bool higher_q_is_better, double step,
                               std::optional<double> max_kbps);

// The point with the bitrate closest to the wish; the better quality on a tie.
CorpusAnswer nearest_bitrate(std::span<const CorpusPoint> points, double kbps, bool higher_q_is_better);

// The rows of a file that can answer: those that are wanted and have a score for every target.
class CorpusRows {
  public:
    struct Entry {
        const ScannedRow *row;
        CorpusPoint point;           // its score is that for the first target
        std::string_view conditions; // of scoring, for users; equal texts mean comparable scores
    };
    // Malformed lines are reported, a few of them, or with --strict end the command (11.4). Refuses rows of one source
    // that were scored with different models or conditions (6.4), unless allowed; reports assumptions about rows that
    // state none. Throws CommandError.
    CorpusRows(const CorpusInput &input, bool is_strict, const std::vector<QualityTarget> &targets,
               const std::function<bool(const ScannedRow &)> &is_wanted = {});
    const std::vector<Entry> &entries() const { return entries_; }

  private:
    const std::string &conditions_of(const ScannedRow &row, const std::string &metric);
    void check_conditions(bool are_allowed) const;

    RowTable table_;
    std::map<std::tuple<std::string_view, std::string_view, std::string_view, std::string_view, double, double>,
             std::string>
        conditions_;
    std::vector<Entry> entries_;
};

// Whether a list names it, or names nothing.
bool is_wanted(const std::vector<std::string> &list, std::string_view name);

} // namespace vmaf::tune
