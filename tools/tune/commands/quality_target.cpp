#include "commands/quality_target.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

QualityTarget parse_target(const std::string &text, const std::string &default_pool,
                           const std::string &default_metric) {
    if (char *end = nullptr; std::strtod(text.c_str(), &end), end != text.c_str() && *end == 0)
        return parse_target(default_metric + (metric_choice(default_metric)->lower_is_better ? "<=" : ">=") + text,
                            default_pool, default_metric); // a bare number
    const std::size_t at = text.find(">=") != std::string::npos ? text.find(">=") : text.find("<=");
    if (at == std::string::npos)
        throw usage_error("--target " + text + " is not of the form METRIC>=VALUE or METRIC:POOL>=VALUE");
    QualityTarget target;
    target.metric = text.substr(0, at);
    target.pool = default_pool;
    if (const std::size_t colon = target.metric.find(':'); colon != std::string::npos) {
        target.pool = target.metric.substr(colon + 1);
        target.metric.resize(colon);
    }
    char *end = nullptr;
    target.value = std::strtod(text.c_str() + at + 2, &end);
    if (*end || end == text.c_str() + at + 2) throw usage_error("--target " + text + ": the value is not a number");
    const auto metric = metric_choice(target.metric);
    if (!metric)
        throw usage_error("--target " + text + ": the metric '" + target.metric + "' is not known; use " +
                          joined(metric_names()));
    if (metric->lower_is_better != (text.substr(at, 2) == "<="))
        throw usage_error("--target " + text + ": for " + target.metric +
                          (metric->lower_is_better ? " lower" : " higher") + " is better; write " +
                          (metric->lower_is_better ? "<=" : ">="));
    try {
        pooled({1.0}, target.pool);
    } catch (const Error &e) {
        throw usage_error(e.what());
    }
    return target;
}

void take_metric_of_targets(const SearchOptions &search, ScoringOptions &scoring) {
    if (search.target_vmaf || search.target_bitrate || search.targets.empty()) return;
    std::vector<std::string> metrics;
    for (const std::string &text : search.targets)
        metrics.push_back(parse_target(text, scoring.pool, scoring.metric).metric);
    if (!contains(metrics, scoring.metric)) scoring.metric = metrics.front();
}

std::vector<QualityTarget> quality_targets(const SearchOptions &search, const ScoringOptions &scoring,
                                           std::optional<double> fallback) {
    std::vector<QualityTarget> targets;
    const bool is_vmaf = scoring.metric.starts_with("vmaf");
    if (search.target_vmaf && !is_vmaf)
        throw usage_error("--target-vmaf is a VMAF score, but --metric is " + scoring.metric + "; write --target \"" +
                          scoring.metric + (metric_choice(scoring.metric)->lower_is_better ? "<=" : ">=") +
                          number_text(metric_choice(scoring.metric)->default_target) + "\"");
    if (fallback && !is_vmaf && !search.target_bitrate) fallback = metric_choice(scoring.metric)->default_target;
    if (search.target_vmaf) targets.push_back({scoring.metric, scoring.pool, *search.target_vmaf});
    for (const std::string &text : search.targets) targets.push_back(parse_target(text, scoring.pool, scoring.metric));
    if (targets.empty() && fallback) targets.push_back({scoring.metric, scoring.pool, *fallback});
    if (targets.empty()) throw usage_error("no target: give --target-vmaf 95, or --target \"vmaf>=95\"");
    if (!search.target_bitrate)
        for (const QualityTarget &t : targets) check_target(t);
    return targets;
}

void check_target(const QualityTarget &target) {
    if (std::isnan(target.value)) throw usage_error("a target has to be a number");
    const MetricChoice metric = *metric_choice(target.metric);
    const double end = metric.bounded_by_100 ? 100 : metric.bounded_by_1 ? 1 : std::numeric_limits<double>::max();
    if (target.value > end || !std::isfinite(target.value))
        throw usage_error("a target of " + number_text(target.value) + " cannot be met" +
                          (end <= 100 ? ": " + target.metric + " ends at " + number_text(end) : ""));
}

QualityGrid::QualityGrid(const Adapter &adapter, const SearchOptions &options, double default_step)
    : low_(options.min_q.value_or(adapter.search.low)), high_(options.max_q.value_or(adapter.search.high)),
      step_(options.q_step.value_or(default_step)), higher_is_better_(adapter.higher_is_better) {
    const std::string &knob = adapter.knob;
    if (low_ < adapter.hard.low || high_ > adapter.hard.high)
        throw usage_error(adapter.name + ": " + knob + " goes from " + number_text(adapter.hard.low) + " to " +
                          number_text(adapter.hard.high) + "; check --min-q and --max-q");
    if (!(low_ <= high_)) throw usage_error("--min-q is above --max-q");
    if (!(step_ > 0)) throw usage_error("--q-step must be positive");
    last_ = static_cast<int>(std::floor((high_ - low_) / step_ + 1e-9));
}

double QualityGrid::q(int k) const {
    const int from_low = higher_is_better_ ? last_ - k : k;
    return std::round((low_ + from_low * step_) * 1e6) / 1e6; // avoids rounding errors of 0.1 steps
}

int QualityGrid::nearest(double q) const {
    const int from_low = static_cast<int>(std::lround((q - low_) / step_));
    return std::clamp(higher_is_better_ ? last_ - from_low : from_low, 0, last_);
}

int QualityGrid::points_in(double distance) const {
    return std::max(1, static_cast<int>(std::lround(distance / step_)));
}

int QualityGrid::first_multiple(double distance) const {
    for (int k = 0; k <= last_; k++)
        if (std::fabs(std::remainder(q(k), distance)) < 1e-6) return k;
    return 0;
}

double margin_above(const QualityTarget &target, double score) {
    return metric_choice(target.metric)->lower_is_better ? target.value - score : score - target.value;
}

void check_curve_metric(const std::string &command, const std::string &metric) {
    const MetricChoice choice = *metric_choice(metric);
    if (choice.lower_is_better || choice.bounded_by_1)
        throw usage_error(command + " needs a higher-is-better metric in points or dB, such as vmaf or psnr; use " +
                          "`vmaf-tune search` for " + metric);
}

double search_score(const std::string &metric, double score) {
    constexpr double kLeastDistance = 1e-10; // of equal pictures: 100 dB
    return metric_choice(metric)->bounded_by_1 ? -10 * std::log10(std::max(1 - score, kLeastDistance)) : score;
}

double search_margin(const QualityTarget &target, double score) {
    const double margin = search_score(target.metric, score) - search_score(target.metric, target.value);
    return metric_choice(target.metric)->lower_is_better ? -margin : margin;
}

} // namespace vmaf::tune
