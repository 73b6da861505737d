// `compare`: several encoders at one target, ranked by bitrate (tune.md 12.4). A unit is one encoder's search.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/lists.hpp"
#include "base/visible_text.hpp"
#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "commands/commands.hpp"
#include "commands/search_result.hpp"
#include "config.h"
#include "curves/rate_curve.hpp"
#include "report/escape.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

struct CompareRequest : ProbeRequest, SearchOptions, ClusterOptions {
    std::vector<std::string> items; // ENCODER[:PRESET]
    std::string baseline;
    std::optional<TableFormat> format;
};

std::string command_text(const json &row) { return visible(shell_quoted(row.at("command").get<Arguments>())); }

std::string markdown(const json &document) {
    std::string text = "| Rank | Codec | Encoder | Best CRF | Bitrate (kbps) | At the target (kbps) | Savings (%) | "
                       "Encode time (ms) | VMAF | Status |\n|---|---|---|---|---|---|---|---|---|---|\n";
    int rank = 1;
    for (const json &row : document["rows"]) {
        const auto cell = [&](const char *key) { return markdown_escaped(row[key].get<std::string>()); };
        const auto number = [&](const char *key, int digits) {
            return row[key].is_number() ? fixed_text(row[key].get<double>(), digits) : "";
        };
        text += "| " + std::to_string(rank++) + " | " + cell("codec") +
                (cell("variant").empty() ? "" : " " + cell("variant")) + " | ";
        if (row["ok"].get<bool>())
            text += cell("encoder_version") + " | " + row["best_crf"].dump() + " | " + number("bitrate_kbps", 1) +
                    " | " + number("bitrate_at_target_kbps", 1) + " | " + number("savings_pct", 1) + " | " +
                    number("encode_time_ms", 0) + " | " + number("vmaf_score", 4) + " | ok |\n";
        else
            text += "| | | | | | | " + markdown_escaped(row["error"].get<std::string>().substr(0, 200)) + " |\n";
    }
    for (const json &line : document["scored"]) text += "\n" + markdown_escaped(line.get<std::string>()) + "\n";
    for (const json &row : document["rows"]) // indented: a block of code
        if (row["ok"].get<bool>()) text += "\n    " + command_text(row) + "\n";
    return text;
}

std::string html(const json &document) {
    const std::string title = "Encoders at VMAF " + document["target_vmaf"].dump() + ": " +
                              markup_escaped(document["src"].get<std::string>());
    std::string text =
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>" + title +
        "</title>\n<style>body{font:15px system-ui;margin:2em;color-scheme:light dark}table{border-"
        "collapse:collapse}td,th{padding:.3em .8em;border-bottom:1px solid #8886;text-align:right}td:nth-"
        "child(2){text-align:left}</style>\n<h1>" +
        title +
        "</h1>\n<table><tr><th>Rank<th>Codec<th>Best CRF<th>Bitrate (kbps)<th>At the target (kbps)<th>Difference (%)"
        "<th>Savings (%)<th>Encode time (ms)<th>VMAF<th>Status</tr>\n";
    int rank = 1;
    for (const json &row : document["rows"]) {
        const bool ok = row["ok"];
        const auto number = [&](const char *key, int digits) {
            return ok && row[key].is_number() ? fixed_text(row[key].get<double>(), digits) : std::string();
        };
        text += "<tr><td>" + std::to_string(rank++) + "<td>" +
                markup_escaped(row["codec"].get<std::string>() + " " + row["preset"].get<std::string>() + " " +
                               row["variant"].get<std::string>()) +
                "<td>" + (ok ? row["best_crf"].dump() : "") + "<td>" + number("bitrate_kbps", 1) + "<td>" +
                number("bitrate_at_target_kbps", 1) + "<td>" + number("bitrate_delta_pct", 1) + "<td>" +
                number("savings_pct", 1) + "<td>" + number("encode_time_ms", 0) + "<td>" + number("vmaf_score", 4) +
                "<td>" + (ok ? "ok" : markup_escaped(row["error"].get<std::string>())) + "</tr>\n";
    }
    text += "</table>\n";
    for (const json &line : document["scored"]) text += "<p>" + markup_escaped(line.get<std::string>()) + "</p>\n";
    for (const json &row : document["rows"])
        if (row["ok"].get<bool>()) text += "<pre>" + markup_escaped(command_text(row)) + "</pre>\n";
    return text + "</html>\n";
}

std::string csv(const json &document) {
    std::string text = "codec,preset,variant,best_crf,bitrate_kbps,bitrate_delta_pct,encode_time_ms,vmaf_score,ok,"
                       "bitrate_at_target_kbps,savings_pct,command\n";
    for (const json &row : document["rows"]) {
        const auto number = [&](const char *key) { return row[key].is_null() ? "" : row[key].dump(); };
        text += csv_field(row["codec"].get<std::string>()) + "," + csv_field(row["preset"].get<std::string>()) + "," +
                csv_field(row["variant"].get<std::string>()) + "," + row["best_crf"].dump() + "," +
                row["bitrate_kbps"].dump() + "," + number("bitrate_delta_pct") + "," + row["encode_time_ms"].dump() +
                "," + number("vmaf_score") + "," + row["ok"].dump() + "," + number("bitrate_at_target_kbps") + "," +
                number("savings_pct") + "," + csv_field(command_text(row)) + "\n";
    }
    return text;
}

std::string table(const json &document, TableFormat format) {
    switch (format) {
    case TableFormat::json: return json_document(document);
    case TableFormat::csv: return csv(document);
    case TableFormat::html: return html(document);
    case TableFormat::markdown: break;
    }
    return markdown(document);
}

ProbeRequest named_encoders(const CompareRequest &o) {
    ProbeRequest named = o; // tries requested encoders while the source is examined
    take_metric_of_targets(o, named);
    named.encoders.insert(named.encoders.end(), o.items.begin(), o.items.end());
    return named;
}

class CompareJob : public Job {
  public:
    explicit CompareJob(const CompareRequest &o)
        : Job(named_encoders(o)), o_(o), targets_(quality_targets(o_, o_, 92)), variants_(parse_variants(o.variants)),
          source_(run_.open_source(o.sources.at(0))) {}

    void check_outputs() override { check_result(o_, o_.output); }

    void print_commands() override {
        for (const json &entry : entries()) {
            try {
                const ProbeSetup setup = setup_of(entry);
                print_probe_commands(setup, setup.encode.adapter->default_q);
            } catch (const CommandError &e) {
                if (e.code() == kExitInterrupted) throw;
            }
        }
    }

    std::vector<json> next(const JobRows &so_far) override { return so_far.empty() ? entries() : std::vector<json>{}; }

    // The answer's row; if an encoder cannot be searched, its row says why.
    std::vector<json> run(const json &entry, const JobRows &) override {
        std::string codec = entry.at("encoder"), preset = preset_of(entry), error;
        SearchReport report;
        std::optional<double> level;
        Arguments command;
        try {
            codec = run_.adapter(codec).name;
            const ProbeSetup setup = setup_of(entry);
            preset = setup.encode.preset;
            report = search(setup);
            if (!report.ok()) error = report.reason;
            if (report.ok()) level = rate_at_target(setup, report);
            if (report.ok() && report.q)
                command = encode_command(setup.programs, source_, {}, setup.encode, *report.q,
                                         setup.encode.two_pass ? 2 : 0, "OUTPUT.stats", "OUTPUT.mkv");
        } catch (const CommandError &e) {
            if (e.code() == kExitInterrupted) throw;
            error = e.what();
        }
        const bool ok = error.empty() && report.ok();
        const double q = ok ? report.q.value_or(-1) : -1;
        return {{{"codec", codec},
                 {"preset", preset},
                 {"variant", entry.at("variant")},
                 {"encoder_version", report.encoder_version},
                 {"best_crf", q == std::floor(q) ? json(int(q)) : json(q)},
                 {"bitrate_kbps", report.bitrate_kbps},
                 {"bitrate_at_target_kbps", level ? json(*level) : json(nullptr)},
                 {"command", command},
                 {"encode_time_ms", report.encode_seconds * 1000},
                 {"encode_fps", report.encode_fps},
                 {"vmaf_score", ok ? json(report.score) : json(nullptr)},
                 {"target_vmaf", targets_.front().value},
                 {"probes", report.probes.size()},
                 {"predicted_size_bytes", std::round(report.prediction.bytes)},
                 {"ok", ok},
                 {"error", error},
                 {"exit_status", report.outcome.row_status()}, // these two are not part of the answer's row
                 {"scored", report.scored}}};
    }

    // Ranked by bitrate at equal quality, with the difference to the best or to --baseline, and the saving relative to
    // the latter or the worst.
    Answer result(const JobRows &searched) override {
        if (o_.encode_jobs > 1 || o_.jobs > 1)
            run_.progress().warn("with several encode jobs the encode times are not comparable; use --encode-jobs 1");
        std::vector<json> rows;
        for (const UnitRows &entry : searched) rows.insert(rows.end(), entry.rows.begin(), entry.rows.end());
        const auto good = [](const json &row) { return row.at("ok").get<bool>(); };
        const bool has_levels = std::ranges::all_of(
            rows, [&](const json &row) { return !good(row) || row.at("bitrate_at_target_kbps").is_number(); });
        const auto kbps = [&](const json &row) {
            return row.at(has_levels ? "bitrate_at_target_kbps" : "bitrate_kbps").get<double>();
        };
        std::ranges::stable_sort(rows, [&](const json &a, const json &b) {
            if (good(a) != good(b)) return good(a);
            return good(a) ? kbps(a) < kbps(b) : a.at("codec") < b.at("codec");
        });
        double baseline = 0;
        for (const json &row : rows)
            if (good(row) && (o_.baseline.empty()
                                  ? baseline == 0
                                  : row["codec"] == o_.baseline ||
                                        (!row["variant"].get<std::string>().empty() && row["variant"] == o_.baseline)))
                baseline = kbps(row);
        double dearest = o_.baseline.empty() ? 0 : baseline;
        if (o_.baseline.empty())
            for (const json &row : rows)
                if (good(row)) dearest = std::max(dearest, kbps(row));
        json document = {
            {"src", source_.path},
            {"target_vmaf", targets_.front().value},
            {"tool_version", VMAF_VERSION},
            {"wall_time_ms",
             std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started_).count()},
            {"scored", json::array()},
            {"rows", json::array()}};
        json &scored = document["scored"]; // one line, unless encoders were scored under different conditions
        bool is_backend_lost = false;
        for (json &row : rows) {
            if (row["scored"] != "" && !contains(scored, row["scored"])) scored.push_back(row["scored"]);
            is_backend_lost |= outcome_of_row(row["exit_status"], "").kind == OutcomeKind::backend_not_kept;
            row["bitrate_delta_pct"] =
                good(row) && baseline > 0 ? json((kbps(row) / baseline - 1) * 100) : json(nullptr);
            row["savings_pct"] = good(row) && dearest > 0 ? json((1 - kbps(row) / dearest) * 100) : json(nullptr);
            row.erase("scored");
            row.erase("exit_status");
            document["rows"].push_back(row);
        }
        const TableFormat format = o_.format.value_or(o_.json ? TableFormat::json : TableFormat::markdown);
        const bool is_any_good = std::ranges::any_of(rows, good);
        return {is_backend_lost ? kExitBackend
                : is_any_good   ? kExitOk
                                : kExitUnmet,
                deliver(o_, o_.output, table(document, format)), ""};
    }

  private:
    // The requested encoders; else those of the variants, or all software encoders of this FFmpeg.
    std::vector<std::string> encoders() {
        std::vector<std::string> wanted = o_.items;
        if (!o_.variants.empty()) {
            const bool is_any_shared =
                std::ranges::any_of(variants_, [](const Variant &v) { return v.encoder.empty(); });
            if (!wanted.empty() || !is_any_shared) return wanted;
            return o_.encoders.empty() ? std::vector<std::string>{"libx264"} : o_.encoders;
        }
        wanted.insert(wanted.end(), o_.encoders.begin(), o_.encoders.end());
        if (!wanted.empty()) return wanted;
        const std::vector<std::string> available = available_encoders(run_.programs());
        for (const Adapter &adapter : adapters())
            if (!adapter.is_hardware && contains(available, adapter.name)) wanted.push_back(adapter.name);
        return wanted;
    }

    // Every encoder with every variant that fits it.
    std::vector<json> entries() {
        std::vector<json> entries;
        const auto add = [&](const std::string &item, const Variant &variant) {
            const std::size_t colon = item.find(':');
            entries.push_back({{"encoder", item.substr(0, colon)}, {"variant", variant.name}});
            if (colon != std::string::npos) entries.back()["preset"] = item.substr(colon + 1);
        };
        for (const std::string &item : encoders())
            for (const Variant &variant : variants_)
                if (variant.encoder.empty()) add(item, variant);
        for (const Variant &variant : variants_)
            if (!variant.encoder.empty()) add(variant.encoder, variant);
        return entries;
    }

    std::string preset_of(const json &entry) const {
        const Variant &variant = variant_of(entry);
        return !variant.preset.empty() ? variant.preset : entry.value("preset", run_.only_preset());
    }

    const Variant &variant_of(const json &entry) const {
        const auto is_meant = [&](const Variant &v) { return v.name == entry.at("variant"); };
        return *std::ranges::find_if(variants_, is_meant);
    }

    ProbeSetup setup_of(const json &entry) {
        const Adapter &adapter = run_.adapter(entry.at("encoder"));
        return run_.setup(source_, adapter, preset_of(entry), true, variant_of(entry));
    }

    SearchReport search(const ProbeSetup &setup) {
        const Adapter &adapter = *setup.encode.adapter;
        SearchOptions own = o_; // windows apply only where the adapter accepts them
        if (own.min_q && *own.min_q < adapter.hard.low) own.min_q.reset();
        if (own.max_q && *own.max_q > adapter.hard.high) own.max_q.reset();
        return QualitySearch(run_, own, setup, targets_, adapter.step).find(targets_);
    }

    // Answers exceed the target by up to a step of quality, which differs between encoders: this is the rate on the
    // encoder's curve at the exact target. Empty if the probes do not enclose it, or there were several targets.
    std::optional<double> rate_at_target(const ProbeSetup &setup, const SearchReport &report) const {
        const QualityTarget &target = targets_.front();
        if (targets_.size() > 1 || report.target != target.value) return std::nullopt;
        RateCurve curve;
        for (const ProbeResult &probe : report.probes)
            if (probe.ok())
                curve.points.push_back({probe.bitrate_kbps(),
                                        margin_above(target, probe_score(setup, probe, target.metric, target.pool)), 0,
                                        0, probe.q});
        return curve.rate_at(0);
    }

    const CompareRequest o_;
    const std::vector<QualityTarget> targets_;
    const std::vector<Variant> variants_;
    const Source source_;
    const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

constexpr Choice<TableFormat> kTableFormats[] = {{"markdown", TableFormat::markdown},
                                                 {"json", TableFormat::json},
                                                 {"csv", TableFormat::csv},
                                                 {"html", TableFormat::html}};

void bind_compare(CLI::App &app, CompareRequest &o) {
    bind_encoding_command(app, o, {.several_encoders = true});
    bind_variants(app, o);
    bind_search(app, o);
    add_option(app, "--encoders", o.items, "ENCODER[:PRESET], separated by commas (default: all software encoders)")
        ->delimiter(',');
    add_option(app, "--baseline", o.baseline, "encoder or variant to compare the others with");
    add_choice(app, "--format", o.format, kTableFormats, "format of the table");
    bind_older_flags(app, o, &o);
    bind_cluster(app, o);
}

} // namespace

void add_compare(Commands &commands) {
    commands.add_job<CompareJob, CompareRequest>(
        {"compare",
         "several encoders at one target, ranked by bitrate",
         {},
         "  vmaf-tune compare -i film.mkv --encoders libx264,libsvtav1 --target-vmaf 93\n"
         "  vmaf-tune compare -i film.mkv --encoders libx264:fast,libx264:slow \\\n"
         "      --target-vmaf 93\n"
         "  vmaf-tune compare -i film.mkv --variant plain= --variant grain=tune=grain \\\n"
         "      --target-vmaf 93"},
        bind_compare);
}

} // namespace vmaf::tune
