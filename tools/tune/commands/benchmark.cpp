// `benchmark`: which encoder needs the fewest bits for a target, from existing rows (tune.md 12.5).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/add_option.hpp"
#include "commands/commands.hpp"
#include "commands/corpus_answers.hpp"
#include "commands/search_result.hpp"
#include "curves/bd_rate.hpp"
#include "report/escape.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

struct BenchmarkRequest : CorpusInput, SearchOptions, ScoringOptions, RunningOptions {
    std::string baseline;
    bool per_source = false;
    std::optional<TableFormat> format;
};

// Compares encoders at the exact target: the steps of their knobs would count as differences.
constexpr double kFineStep = 1e-4;

// Rows of one configuration and source.
struct SourceRows {
    std::map<std::string_view, std::vector<CorpusPoint>> curves; // by preset
    std::vector<const ScannedRow *> rows;
    CorpusAnswer answer; // the cheapest of all presets
    std::string_view preset;
};

// One configuration with any preset.
struct EncoderRows {
    const ScannedRow *first = nullptr;
    std::string_view conditions; // of its first row
    std::map<std::string_view, SourceRows> sources;
    std::set<std::string_view> presets;
    std::size_t rows = 0;
    bool is_met = true;              // on every source
    double kbps = 0, margin = 0;     // geometric mean over sources; the smallest margin
    RateInterval interval;           // of kbps
    std::optional<double> delta;     // percent relative to the baseline, at the target
    std::optional<std::size_t> rank; // equal where the rows cannot tell
    Spread bd;                       // Bjontegaard rates relative to the baseline, over sources
};

double geometric_mean(const std::vector<double> &values) {
    double sum = 0;
    for (const double x : values) sum += std::log(std::max(x, 1e-9));
    return values.empty() ? 0 : std::exp(sum / double(values.size()));
}

std::optional<double> mean_of_rows(const EncoderRows &e, double ScannedRow::*field) {
    double sum = 0;
    std::size_t count = 0;
    for (const auto &[src, s] : e.sources)
        for (const ScannedRow *row : s.rows)
            if (std::isfinite(row->*field)) {
                sum += row->*field;
                count++;
            }
    return count ? std::optional(sum / double(count)) : std::nullopt;
}

void settle(EncoderRows &e, const QualityTarget &target) {
    const Adapter *adapter = find_adapter(e.first->encoder);
    std::vector<double> rates, lows, highs;
    bool first = true;
    for (auto &[src, s] : e.sources) {
        bool has_answer = false;
        for (const auto &[preset, points] : s.curves) { // each preset is a curve
            const bool higher = adapter && adapter->higher_is_better;
            const CorpusAnswer own = metric_choice(target.metric)->lower_is_better
                                         ? cheapest_pass(points, higher, std::nullopt)
                                         : interpolated_pass(points, target.value, higher, kFineStep, std::nullopt);
            const bool is_better =
                !has_answer || own.is_met > s.answer.is_met ||
                (own.is_met == s.answer.is_met &&
                 (own.is_met ? own.point.kbps < s.answer.point.kbps : own.point.score > s.answer.point.score));
            if (!is_better) continue;
            s.answer = own;
            s.preset = preset;
            has_answer = true;
        }
        e.is_met = e.is_met && s.answer.is_met;
        rates.push_back(s.answer.point.kbps);
        lows.push_back(s.answer.kbps.low);
        highs.push_back(s.answer.kbps.high);
        const double margin = margin_above(target, s.answer.point.score);
        e.margin = first ? margin : std::min(e.margin, margin);
        first = false;
    }
    e.kbps = geometric_mean(rates);
    const bool is_open = contains(lows, 0.0);
    e.interval = {is_open ? 0 : geometric_mean(lows), geometric_mean(highs)};
}

// The ratio of two figures, over the sources on which both meet the target: an encoder tried only on easy clips gains
// nothing.
template <class Own, class Other>
std::optional<double> ratio(const EncoderRows &e, Own own, const EncoderRows &other, Other others) {
    std::vector<double> ratios;
    for (const auto &[src, s] : e.sources)
        if (const auto at = other.sources.find(src);
            at != other.sources.end() && s.answer.is_met && at->second.answer.is_met && others(at->second.answer) > 0)
            ratios.push_back(own(s.answer) / others(at->second.answer));
    return ratios.empty() ? std::nullopt : std::optional(geometric_mean(ratios));
}

double rate_of(const CorpusAnswer &answer) { return answer.point.kbps; }

std::optional<double> delta_against(const EncoderRows &e, const EncoderRows &baseline) {
    const auto rates = ratio(e, rate_of, baseline, rate_of);
    return rates ? std::optional((*rates - 1) * 100) : std::nullopt;
}

// Those that meet the target first, by their rates on the sources that they share with the one that has most. Numbers
// them; one whose interval overlaps that of a better one has the better one's number.
void rank(std::vector<EncoderRows *> &order) {
    const auto common = std::ranges::max_element(order, [](const EncoderRows *a, const EncoderRows *b) {
        const auto merit = [](const EncoderRows *e) { return std::tuple(e->is_met, e->sources.size(), -e->kbps); };
        return merit(a) < merit(b);
    });
    std::map<const EncoderRows *, double> place;
    for (const EncoderRows *e : order)
        place[e] = ratio(*e, rate_of, **common, rate_of).value_or(e->kbps / (*common)->kbps);
    std::ranges::stable_sort(order, [&](const EncoderRows *a, const EncoderRows *b) {
        if (a->is_met != b->is_met) return a->is_met;
        if (!a->is_met && a->margin != b->margin) return a->margin > b->margin;
        return place[a] != place[b] ? place[a] < place[b] : a->first->encoder < b->first->encoder;
    });
    const auto low = [](const CorpusAnswer &a) { return a.kbps.low; };
    const auto high = [](const CorpusAnswer &a) { return a.kbps.high; };
    for (std::size_t i = 0; i < order.size() && order[i]->is_met; i++) {
        order[i]->rank = i + 1;
        for (std::size_t better = 0; better < i; better++)
            if (const auto gap = ratio(*order[i], low, *order[better], high); gap && *gap <= 1) {
                order[i]->rank = order[better]->rank;
                break;
            }
    }
}

// Over sources on which both have a curve.
Spread bd_against(const EncoderRows &e, const EncoderRows &baseline) {
    std::vector<double> rates;
    const auto curve_of = [](const SourceRows &s) {
        std::vector<RatePoint> points;
        for (const CorpusPoint &p : s.curves.at(s.preset)) points.push_back({p.kbps, p.score});
        return points;
    };
    for (const auto &[src, s] : e.sources)
        if (const auto other = baseline.sources.find(src); other != baseline.sources.end())
            if (const auto bd = bd_rate(curve_of(other->second), curve_of(s))) rates.push_back(bd->percent);
    return spread_of(rates);
}

json spread_json(const Spread &s) {
    if (s.count == 0) return nullptr;
    return {
        {"mean_pct", s.mean}, {"std_pct", s.deviation}, {"min_pct", s.low}, {"max_pct", s.high}, {"sources", s.count}};
}

json best_json(const SourceRows &s) {
    return {{"src", s.rows.front()->src},
            {"preset", s.preset},
            {"crf", s.answer.point.q},
            {"vmaf_score", s.answer.point.score},
            {"bitrate_kbps", s.answer.point.kbps},
            {"bitrate_low_kbps", s.answer.kbps.low},
            {"bitrate_high_kbps", s.answer.kbps.high},
            {"interpolated", s.answer.is_interpolated},
            {"vmaf_model", s.rows.front()->model}};
}

json entry_json(const EncoderRows &e, const QualityTarget &target, bool per_source) {
    const auto number = [](std::optional<double> x) { return x ? json(*x) : json(nullptr); };
    const SourceRows *best = nullptr; // the cheapest that meets the target, else the closest miss
    for (const auto &[src, s] : e.sources)
        if (!best || s.answer.is_met > best->answer.is_met ||
            (s.answer.is_met == best->answer.is_met &&
             (s.answer.is_met ? s.answer.point.kbps < best->answer.point.kbps
                              : s.answer.point.score > best->answer.point.score)))
            best = &s;
    json entry = {{"rank", e.rank ? json(*e.rank) : json(nullptr)},
                  {"encoder", e.first->encoder},
                  {"variant", e.first->name},
                  {"options", shell_quoted(options_of(*e.first))},
                  {"resolution", encode_size_text(*e.first)},
                  {"conditions", e.conditions},
                  {"status", e.is_met ? "ok" : "unmet"},
                  {"target_vmaf", target.value},
                  {"margin", e.margin},
                  {"bitrate_kbps", e.kbps},
                  {"bitrate_low_kbps", e.interval.low},
                  {"bitrate_high_kbps", e.interval.high},
                  {"bitrate_delta_pct", number(e.delta)},
                  {"bd_rate", spread_json(e.bd)},
                  {"bd_rate_pct", e.bd.count ? json(e.bd.mean) : json(nullptr)},
                  {"bd_rate_std_pct", e.bd.count ? json(e.bd.deviation) : json(nullptr)},
                  {"rows", e.rows},
                  {"source_count", e.sources.size()},
                  {"preset_count", e.presets.size()},
                  {"encode_fps", number(mean_of_rows(e, &ScannedRow::encode_fps))},
                  {"score_fps", number(mean_of_rows(e, &ScannedRow::score_fps))},
                  {"best", best_json(*best)}};
    if (!per_source) return entry;
    for (const auto &[src, s] : e.sources) {
        json detail = best_json(s);
        detail["status"] = s.answer.is_met ? "ok" : "unmet";
        entry["per_source"].push_back(detail);
    }
    return entry;
}

std::string benchmark_table(const json &document, bool as_csv) {
    constexpr const char *kColumns[] = {
        "rank",        "encoder",         "variant",          "options",           "resolution",
        "status",      "bitrate_kbps",    "bitrate_low_kbps", "bitrate_high_kbps", "bitrate_delta_pct",
        "bd_rate_pct", "bd_rate_std_pct", "margin",           "source_count",      "preset_count",
        "rows",        "encode_fps",      "score_fps",        "conditions"};
    std::string text = as_csv ? "" : "|", rule = "|";
    for (const char *column : kColumns) {
        text += as_csv ? (text.empty() ? "" : ",") + std::string(column) : " " + std::string(column) + " |";
        rule += "---|";
    }
    text += as_csv ? "\n" : "\n" + rule + "\n";
    for (const json &entry : document["encoders"]) {
        std::string line = as_csv ? "" : "|";
        for (const char *column : kColumns) {
            const json &value = entry[column];
            const std::string cell = value.is_null()     ? ""
                                     : value.is_string() ? value.get<std::string>()
                                     : value.is_number_float()
                                         ? (as_csv ? value.dump() : fixed_text(value.get<double>(), 2))
                                         : value.dump();
            line += as_csv ? (column == kColumns[0] ? "" : ",") + (value.is_string() ? csv_field(cell) : cell)
                           : " " + markdown_escaped(cell) + " |";
        }
        text += line + "\n";
    }
    return text;
}

constexpr Choice<TableFormat> kPlainTableFormats[] = {
    {"markdown", TableFormat::markdown}, {"json", TableFormat::json}, {"csv", TableFormat::csv}};

int run_benchmark(const BenchmarkRequest &o) {
    if (o.from_corpus.empty()) throw usage_error("give rows with --from-corpus");
    const QualityTarget target = quality_targets(o, o, 92).front();
    const CorpusRows rows(o, o.strict, {target});
    using Details = decltype(std::declval<ScannedRow>().variant());
    std::map<std::tuple<std::string_view, std::string_view, Details, std::string_view>, EncoderRows> encoders;
    for (const auto &[row, point, conditions] : rows.entries()) {
        EncoderRows &e = encoders[{row->encoder, row->name, row->variant(), o.allow_mixed_models ? conditions : ""}];
        if (!e.first) e.first = row;
        if (e.conditions.empty()) e.conditions = conditions;
        if (e.conditions != conditions) e.conditions = "differ by source";
        e.presets.insert(row->preset);
        e.rows++;
        SourceRows &s = e.sources[row->src];
        s.curves[row->preset].push_back(point);
        s.rows.push_back(row);
    }
    if (encoders.empty()) throw CommandError(kExitFailed, "'" + o.from_corpus + "' has no rows with such a score");
    std::vector<EncoderRows *> order;
    for (auto &[name, e] : encoders) {
        settle(e, target);
        order.push_back(&e);
    }
    rank(order);
    const auto named = std::ranges::find_if(order, [&](const EncoderRows *e) {
        return e->first->encoder == o.baseline || (!e->first->name.empty() && e->first->name == o.baseline);
    });
    if (!o.baseline.empty() && named == order.end())
        throw usage_error("--baseline-encoder " + o.baseline + " is not among the rows");
    const EncoderRows &baseline = named != order.end() ? **named : *order.front();
    json document = {{"schema", "vmaf-tune-benchmark/v1"},
                     {"target_vmaf", target.value},
                     {"baseline", baseline.first->name.empty() ? baseline.first->encoder : baseline.first->name},
                     {"encoders", json::array()}};
    for (EncoderRows *e : order) {
        e->delta = delta_against(*e, baseline);
        if (e != &baseline) e->bd = bd_against(*e, baseline);
        document["encoders"].push_back(entry_json(*e, target, o.per_source));
    }
    const TableFormat format = o.format.value_or(o.json ? TableFormat::json : TableFormat::markdown);
    write_result(o, o.output,
                 format == TableFormat::json ? json_document(document)
                                             : benchmark_table(document, format == TableFormat::csv));
    return order.front()->is_met ? kExitOk : kExitUnmet;
}

void bind_benchmark(CLI::App &app, BenchmarkRequest &o) {
    add_option(app, "rows,--from-corpus", o.from_corpus, "rows of a corpus")->required();
    add_option(app, "--target-vmaf", o.target_vmaf, "VMAF to reach (default 92)");
    add_option(app, "--target", o.targets, "METRIC>=VALUE or METRIC:POOL>=VALUE")->expected(1);
    add_option(app, "--baseline-encoder,--baseline", o.baseline, "encoder to compare the others with");
    app.add_flag("--per-source", o.per_source, "also list the best row of each source (JSON)");
    app.add_flag("--allow-mixed-models", o.allow_mixed_models,
                 "accept rows with different models or scoring conditions; treat each apart");
    add_choice(app, "--format", o.format, kPlainTableFormats, "format of the table");
    add_option(app, "-o,--output", o.output, "result file (-: standard output)");
    app.add_flag("-y,--overwrite", o.overwrite, "replace existing results");
    app.add_flag("--json", o.json, "same as --format json");
    app.add_flag("--strict", o.strict, "fail on a malformed row");
}

CommandFiles files_of(const BenchmarkRequest &o) {
    CommandFiles files = files_of(static_cast<const RunningOptions &>(o));
    files.inputs.push_back({"the rows", o.from_corpus});
    return files;
}

} // namespace

void add_benchmark(Commands &commands) {
    commands.add<BenchmarkRequest>({"benchmark",
                                    "encoders at one target, from existing rows",
                                    {},
                                    "  vmaf-tune benchmark corpus.jsonl --target-vmaf 93\n"
                                    "  vmaf-tune benchmark corpus.jsonl --target-vmaf 93 --per-source --json\n"
                                    "  vmaf-tune benchmark corpus.jsonl --baseline libx264 --format csv"},
                                   bind_benchmark, run_benchmark);
}

} // namespace vmaf::tune
