#include "commands/corpus_answers.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/lists.hpp"
#include "cli/complain.hpp"
#include "commands/search.hpp"
#include "commands/search_result.hpp"
#include "curves/bd_rate.hpp"
#include "rows/configuration.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

bool is_better(double a, double b, bool higher_q_is_better) { return higher_q_is_better ? a > b : a < b; }

// Rows of one source and one configuration.
struct CorpusGroup {
    const ScannedRow *first = nullptr;
    std::string_view conditions;
    std::vector<CorpusPoint> points;
};

json answer_json(const CorpusGroup &group, const CorpusAnswer &answer, const std::vector<QualityTarget> &targets,
                 const SearchOptions &o, const Adapter *adapter) {
    const QualityTarget &first = targets.front();
    json object = {
        {"type", "search-result"},
        {"src", group.first->src},
        {"encoder", group.first->encoder},
        {"preset", group.first->preset},
        {"options", options_of(*group.first)},
        {"resolution", encode_size_text(*group.first)},
        {"conditions", {{"text", group.conditions}}},
        {"q_knob", adapter ? adapter->knob : "crf"},
        {"q", answer.point.q},
        {"score", answer.point.score},
        {"metric", first.metric},
        {"pool", first.pool},
        {"target", first.value},
        {"margin", o.target_bitrate ? answer.point.kbps - first.value : margin_above(first, answer.point.score)},
        {"status", answer.is_met         ? "ok"
                   : answer.is_too_large ? "no_solution"
                                         : "unmet"},
        {"bitrate_kbps", answer.point.kbps},
        {"bitrate_low_kbps", answer.kbps.low},
        {"bitrate_high_kbps", answer.kbps.high},
        {"predicted_size_bytes", nullptr},
        {"predicted_percent", nullptr},
        {"predicted_seconds", nullptr},
        {"probes", json::array()},
        {"rows", group.points.size()},
        {"interpolated", answer.is_interpolated},
        {"non_monotone", false},
        {"plateau", false},
        {"at_bound", false},
        {"elapsed_s", 0.0},
        {"score_backend", ""},
        {"reason", answer.is_met         ? ""
                   : answer.is_too_large ? "rows that meet the target are too large"
                                         : "no row meets the target"}};
    if (o.target_bitrate) object["target_bitrate_kbps"] = *o.target_bitrate;
    return object;
}

} // namespace

Arguments options_of(const ScannedRow &row) {
    const std::string_view array = row.options.empty() ? row.extra_params : row.options;
    const json list = json::parse(array.begin(), array.end(), nullptr, false);
    Arguments options;
    if (list.is_array())
        for (const json &item : list)
            if (item.is_string()) options.push_back(item.get<std::string>());
    return options;
}

std::string encode_size_text(const ScannedRow &row) {
    return row.is_scaled() ? number_text(row.encode_width) + "x" + number_text(row.encode_height) : "";
}

namespace {

// Reports malformed lines; a file that is no corpus has one per line.
std::function<void(const std::string &)> complaints(bool is_strict) {
    constexpr int kMost = 10;
    return [is_strict, told = 0](const std::string &sentence) mutable {
        if (is_strict) throw usage_error(sentence);
        if (++told < kMost) complain("", sentence);
        if (told == kMost) complain("", "more lines are not rows; --strict ends at the first");
    };
}

} // namespace

bool is_wanted(const std::vector<std::string> &list, std::string_view name) {
    return list.empty() || contains(list, name);
}

CorpusRows::CorpusRows(const CorpusInput &input, bool is_strict, const std::vector<QualityTarget> &targets,
                       const std::function<bool(const ScannedRow &)> &is_wanted)
    : table_(input.from_corpus, complaints(is_strict)) {
    for (const ScannedRow &row : table_.rows()) {
        if (row.exit_status != 0 || std::isnan(row.q) || (is_wanted && !is_wanted(row))) continue;
        CorpusPoint point{row.q, 0, row.kbps, true};
        const bool is_complete = std::ranges::all_of(targets, [&](const QualityTarget &target) {
            const auto score = corpus_score(row, target);
            if (!score) return false;
            if (&target == &targets.front()) point.score = *score;
            point.passes = point.passes && margin_above(target, *score) >= 0;
            return true;
        });
        if (is_complete) entries_.push_back({&row, point, conditions_of(row, targets.front().metric)});
    }
    check_conditions(input.allow_mixed_models);
}

const std::string &CorpusRows::conditions_of(const ScannedRow &row, const std::string &metric) {
    const auto [entry, is_new] =
        conditions_.try_emplace({row.conditions, row.clip_mode, row.scale, row.model, row.width, row.height});
    if (!is_new) return entry->second;
    json fields = {{"clip_mode", row.clip_mode}, {"score_scale", row.scale}, {"vmaf_model", row.model}};
    if (row.width > 0) fields["width"] = static_cast<int>(row.width);
    if (row.height > 0) fields["height"] = static_cast<int>(row.height);
    if (json stated = json::parse(row.conditions.begin(), row.conditions.end(), nullptr, false); stated.is_object())
        fields["conditions"] = std::move(stated);
    return entry->second = tune::conditions_of(fields, metric).text();
}

void CorpusRows::check_conditions(bool are_allowed) const {
    const auto unstated = std::ranges::count_if(entries_, [](const Entry &e) { return e.row->conditions.empty(); });
    if (unstated > 0) complain("", unstated_text(static_cast<std::size_t>(unstated)));
    if (are_allowed) return;
    std::map<std::string_view, std::set<std::string_view>> models, all;
    for (const Entry &e : entries_) {
        if (!e.row->model.empty()) models[e.row->src].insert(e.row->model);
        all[e.row->src].insert(e.conditions);
    }
    const auto refuse = [](const auto &sets, const std::string &what, const std::string &advice) {
        for (const auto &[src, names] : sets)
            if (names.size() > 1)
                throw usage_error("rows of '" + std::string(src) + "' were scored " + what + " (" +
                                  joined(names, "; ") + "); " + advice +
                                  ", or use --allow-mixed-models to show them apart");
    };
    refuse(models, "with different models", "score them with one");
    refuse(all, "under different conditions", "score them alike");
}

std::optional<double> corpus_score(const ScannedRow &row, const QualityTarget &target) {
    if (row.metric == target.metric && row.pool == target.pool && std::isfinite(row.score)) return row.score;
    if (target.metric == "vmaf" && target.pool == "mean" && std::isfinite(row.vmaf_score)) return row.vmaf_score;
    constexpr std::pair<std::string_view, const char *> kStatistics[] = {{"mean", "mean"},
                                                                         {"harmonic", "harmonic_mean"},
                                                                         {"harmonic_mean", "harmonic_mean"},
                                                                         {"min", "min"},
                                                                         {"max", "max"},
                                                                         {"median", "median"},
                                                                         {"percentile=1", "p1"},
                                                                         {"percentile=5", "p5"},
                                                                         {"percentile=10", "p10"}};
    const auto *const statistic =
        std::ranges::find(kStatistics, target.pool, &std::pair<std::string_view, const char *>::first);
    if (row.scores.empty() || statistic == std::end(kStatistics)) return std::nullopt;
    const json scores = json::parse(row.scores.begin(), row.scores.end(), nullptr, false);
    if (!scores.is_object() || !scores.contains(target.metric)) return std::nullopt;
    const json &value = scores[target.metric].value(statistic->second, json());
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

CorpusAnswer cheapest_pass(std::span<const CorpusPoint> points, bool higher_q_is_better,
                           std::optional<double> max_kbps) {
    const CorpusPoint *best = nullptr, *highest = nullptr;
    for (const CorpusPoint &p : points) {
        if (!highest || p.score > highest->score) highest = &p;
        if (!p.passes) continue;
        if (!best || p.kbps < best->kbps || (p.kbps == best->kbps && p.score > best->score) ||
            (p.kbps == best->kbps && p.score == best->score && is_better(p.q, best->q, higher_q_is_better)))
            best = &p;
    }
    if (!highest) throw std::invalid_argument("no points to choose from");
    CorpusAnswer answer{best ? *best : *highest, best != nullptr, false, false, {}};
    answer.kbps = {answer.point.kbps, answer.point.kbps};
    if (best && max_kbps && best->kbps > *max_kbps) {
        answer.is_met = false;
        answer.is_too_large = true;
    }
    return answer;
}

CorpusAnswer interpolated_pass(std::span<const CorpusPoint> points, double target, bool higher_q_is_better, double step,
                               std::optional<double> max_kbps) {
    CorpusAnswer row = cheapest_pass(points, higher_q_is_better, max_kbps);
    const std::vector<CorpusPoint> measured = rising(std::vector<CorpusPoint>(points.begin(), points.end()));
    if (!measured.empty() && target < measured.front().score) row.kbps.low = 0;
    if (measured.size() < 2 || target <= measured.front().score || target > measured.back().score) return row;
    std::vector<double> rates, scores;
    for (const CorpusPoint &p : measured) {
        rates.push_back(std::log(p.kbps));
        scores.push_back(p.score);
    }
    const MonotoneCubic curve(rates, scores);
    const std::size_t above =
        static_cast<std::size_t>(std::ranges::find_if(scores, [&](double s) { return s >= target; }) - scores.begin());
    double low = rates[above - 1], high = rates[above];
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        (curve(middle) >= target ? high : low) = middle;
    }
    const CorpusPoint &a = measured[above - 1], &b = measured[above];
    const double width = rates[above] - rates[above - 1];
    const double exact = a.q + (b.q - a.q) * (high - rates[above - 1]) / width;
    CorpusAnswer answer{{}, true, false, true, {}};
    // Rounds towards better quality, but not beyond the row known to pass.
    answer.point.q =
        std::round((higher_q_is_better ? std::ceil(exact / step - 1e-9) : std::floor(exact / step + 1e-9)) * step *
                   1e6) /
        1e6;
    if (is_better(answer.point.q, b.q, higher_q_is_better)) answer.point.q = b.q;
    const double rate =
        a.q == b.q ? high : rates[above - 1] + width * std::clamp((answer.point.q - a.q) / (b.q - a.q), 0.0, 1.0);
    answer.point.kbps = std::exp(rate);
    answer.kbps =
        measured.size() > 2 ? interpolation_interval(a.kbps, b.kbps, answer.point.kbps) : RateInterval{a.kbps, b.kbps};
    answer.point.score = curve(rate);
    answer.point.passes = true;
    if (max_kbps && answer.point.kbps > *max_kbps) {
        answer.is_met = false;
        answer.is_too_large = true;
    }
    return answer;
}

CorpusAnswer nearest_bitrate(std::span<const CorpusPoint> points, double kbps, bool higher_q_is_better) {
    const CorpusPoint *best = nullptr;
    for (const CorpusPoint &p : points) {
        const double distance = std::fabs(p.kbps - kbps), known = best ? std::fabs(best->kbps - kbps) : 0;
        if (!best || distance < known || (distance == known && is_better(p.q, best->q, higher_q_is_better))) best = &p;
    }
    return {*best, true, false, false, {best->kbps, best->kbps}};
}

int search_corpus(const SearchRequest &o) {
    const std::vector<QualityTarget> targets = quality_targets(o, o, o.target_bitrate);
    if (o.interpolate && (o.target_bitrate || targets.size() != 1 || metric_choice(targets[0].metric)->lower_is_better))
        throw usage_error("--interpolate answers one quality target of a metric where higher is better");
    if (!o.max_size.empty() || o.max_encoded_percent)
        throw usage_error("rows do not state the size of the whole encode; with --from-corpus use --max-bitrate");
    const CorpusRows rows(o, o.strict, targets, [&](const ScannedRow &row) {
        return is_wanted(o.encoders, row.encoder) && is_wanted(o.presets, row.preset) &&
               is_wanted(o.sources, row.src) && row.q >= o.min_q.value_or(row.q) && row.q <= o.max_q.value_or(row.q);
    });
    using Variant = decltype(std::declval<ScannedRow>().variant());
    std::map<std::tuple<std::string_view, std::string_view, std::string_view, std::string_view, Variant>, CorpusGroup>
        groups;
    for (const auto &[row, point, conditions] : rows.entries()) {
        CorpusGroup &group = groups[{row->src, row->encoder, row->preset, conditions, row->variant()}];
        if (!group.first) group = {row, conditions, {}};
        group.points.push_back(point);
    }
    if (groups.empty())
        throw CommandError(kExitFailed, "'" + o.from_corpus + "' has no rows with a score that fit the filters");
    bool all_met = true;
    for (const auto &[key, group] : groups) {
        const ScannedRow &first = *group.first;
        const Adapter *adapter = find_adapter(first.encoder);
        const bool higher = adapter && adapter->higher_is_better;
        const CorpusAnswer answer = o.target_bitrate ? nearest_bitrate(group.points, *o.target_bitrate, higher)
                                    : o.interpolate  ? interpolated_pass(group.points, targets[0].value, higher,
                                                                        adapter ? adapter->step : 1, o.max_bitrate)
                                                     : cheapest_pass(group.points, higher, o.max_bitrate);
        all_met = all_met && answer.is_met;
        if (o.json) {
            print_line(json_line(answer_json(group, answer, targets, o, adapter)));
            continue;
        }
        const Arguments options = options_of(first);
        const std::string resolution = encode_size_text(first);
        print_line("src=" + std::string(first.src) + " encoder=" + std::string(first.encoder) +
                   " preset=" + std::string(first.preset) +
                   (options.empty() ? "" : " options=" + shell_quoted(shell_quoted(options))) +
                   (resolution.empty() ? "" : " resolution=" + resolution) + " crf=" + number_text(answer.point.q) +
                   " " + targets[0].metric + "=" + fixed_text(answer.point.score, 4) +
                   " kbps=" + fixed_text(answer.point.kbps, 1) +
                   (answer.is_interpolated ? " kbps_range=" + fixed_text(answer.kbps.low, 1) + "-" +
                                                 fixed_text(answer.kbps.high, 1) + " [INTERPOLATED]"
                                           : "") +
                   (answer.is_met         ? " [OK]"
                    : answer.is_too_large ? " [NO SOLUTION]"
                                          : " [UNMET]"));
        print_line("scored: " + std::string(group.conditions));
    }
    return all_met || o.best_effort ? kExitOk : kExitUnmet;
}

} // namespace vmaf::tune
