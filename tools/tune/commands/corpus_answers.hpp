// Answers from existing rows, without encoding (tune.md 12.2).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "commands/quality_target.hpp"
#include "rows/row_scan.hpp"

namespace vmaf::tune {

// A row of one source, encoder and preset with what its scores count as.
struct CorpusPoint {
    double q = 0, score = 0, kbps = 0;
    bool passes = false; // all targets
};

// Score of a row for a target; nothing if the row does not state it.
std::optional<double> corpus_score(const ScannedRow &row, const QualityTarget &target);

// Flags of vmaf-tune that the row's encode needs besides encoder, preset and quality (FFmpeg's own in older rows), and
// its size where the source was scaled.
Arguments options_of(const ScannedRow &row);
std::string encode_size_text(const ScannedRow &row);

struct CorpusAnswer {
    CorpusPoint point;
    bool is_met = false, is_too_large = false, is_interpolated = false;
};

// The cheapest point that passes; where bitrates are equal the higher score, then the better quality. If none does,
// the one with the highest score.
CorpusAnswer cheapest_pass(std::span<const CorpusPoint> points, bool higher_q_is_better,
                           std::optional<double> max_kbps);

// Between two neighbouring points: a monotone cubic of the score over log bitrate meets the target. The quality value
// is rounded to `step`, towards better quality.
CorpusAnswer interpolated_pass(std::span<const CorpusPoint> points, double target, bool higher_q_is_better, double step,
                               std::optional<double> max_kbps);

// The point whose bitrate is nearest to the wish; the better quality where two are as near.
CorpusAnswer nearest_bitrate(std::span<const CorpusPoint> points, double kbps, bool higher_q_is_better);

// Texts of the rows' scoring conditions; equal where scores of the metric may be compared.
class ConditionTexts {
  public:
    explicit ConditionTexts(std::string metric) : metric_(std::move(metric)) {}
    const std::string &of(const ScannedRow &row);

  private:
    std::string metric_;
    std::map<std::tuple<std::string_view, std::string_view, std::string_view, std::string_view, double, double>,
             std::string>
        known_;
};

// Rows of one source that were scored with different models, or under other conditions that differ, are refused (6.4)
// unless that is allowed; what is assumed of rows that do not state theirs is reported. Throws CommandError.
void check_conditions(const std::vector<const ScannedRow *> &rows, ConditionTexts &conditions, bool are_allowed);

// Malformed lines: told, up to a few of them, or with --strict the end (11.4). Throws CommandError.
class RowComplaints {
  public:
    explicit RowComplaints(bool is_strict) : is_strict_(is_strict) {}
    void operator()(const std::string &sentence);

  private:
    bool is_strict_;
    int told_ = 0;
};

} // namespace vmaf::tune
