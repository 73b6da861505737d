// `compare`: several encoders at one target, ranked by bitrate (tune.md 12.4).
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "commands/commands.hpp"
#include "commands/on_cluster.hpp"
#include "commands/search_result.hpp"
#include "config.h"
#include "report/escape.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

struct CompareRequest : ClusterRequest, SearchOptions {
    std::vector<std::string> items; // ENCODER[:PRESET]
    std::string baseline;
    std::optional<TableFormat> format;
};

struct Entry {
    std::string codec, preset, variant;
    SearchReport report;
    std::string error;
};

json row_of(const Entry &e, double target, double baseline_kbps) {
    const bool ok = e.error.empty() && e.report.ok();
    const double q = e.report.q.value_or(-1);
    json row = {{"codec", e.codec},
                {"preset", e.preset},
                {"variant", e.variant},
                {"encoder_version", e.report.encoder_version},
                {"best_crf", ok ? json(q == std::floor(q) ? json(int(q)) : json(q)) : json(-1)},
                {"bitrate_kbps", e.report.bitrate_kbps},
                {"encode_time_ms", e.report.encode_seconds * 1000},
                {"encode_fps", e.report.encode_fps},
                {"vmaf_score", ok ? json(e.report.score) : json(nullptr)},
                {"target_vmaf", target},
                {"probes", e.report.probes.size()},
                {"predicted_size_bytes", std::round(e.report.prediction.bytes)},
                {"ok", ok},
                {"error", ok                ? ""
                          : e.error.empty() ? e.report.reason
                                            : e.error}};
    row["bitrate_delta_pct"] =
        ok && baseline_kbps > 0 ? json((e.report.bitrate_kbps / baseline_kbps - 1) * 100) : json(nullptr);
    return row;
}

std::string markdown(const json &document) {
    std::string text = "| Rank | Codec | Encoder | Best CRF | Bitrate (kbps) | Encode time (ms) | VMAF | Status "
                       "|\n|---|---|---|---|---|---|---|---|\n";
    int rank = 1;
    for (const json &row : document["rows"]) {
        const auto cell = [&](const char *key) { return markdown_escaped(row[key].get<std::string>()); };
        const auto number = [&](const char *key, int digits) { return fixed_text(row[key].get<double>(), digits); };
        text += "| " + std::to_string(rank++) + " | " + cell("codec") +
                (cell("variant").empty() ? "" : " " + cell("variant")) + " | ";
        if (row["ok"].get<bool>())
            text += cell("encoder_version") + " | " + row["best_crf"].dump() + " | " + number("bitrate_kbps", 1) +
                    " | " + number("encode_time_ms", 0) + " | " + number("vmaf_score", 4) + " | ok |\n";
        else
            text += "| | | | | " + markdown_escaped(row["error"].get<std::string>().substr(0, 200)) + " |\n";
    }
    for (const json &line : document["scored"]) text += "\n" + markdown_escaped(line.get<std::string>()) + "\n";
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
        "</h1>\n<table><tr><th>Rank<th>Codec<th>Best CRF<th>Bitrate (kbps)<th>Difference (%)<th>Encode "
        "time (ms)<th>VMAF<th>Status</tr>\n";
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
                number("bitrate_delta_pct", 1) + "<td>" + number("encode_time_ms", 0) + "<td>" +
                number("vmaf_score", 4) + "<td>" + (ok ? "ok" : markup_escaped(row["error"].get<std::string>())) +
                "</tr>\n";
    }
    text += "</table>\n";
    for (const json &line : document["scored"]) text += "<p>" + markup_escaped(line.get<std::string>()) + "</p>\n";
    return text + "</html>\n";
}

std::string csv(const json &document) {
    std::string text = "codec,preset,variant,best_crf,bitrate_kbps,bitrate_delta_pct,encode_time_ms,vmaf_score,ok\n";
    for (const json &row : document["rows"])
        text += csv_field(row["codec"].get<std::string>()) + "," + csv_field(row["preset"].get<std::string>()) + "," +
                csv_field(row["variant"].get<std::string>()) + "," + row["best_crf"].dump() + "," +
                row["bitrate_kbps"].dump() + "," +
                (row["bitrate_delta_pct"].is_null() ? "" : row["bitrate_delta_pct"].dump()) + "," +
                row["encode_time_ms"].dump() + "," + (row["vmaf_score"].is_null() ? "" : row["vmaf_score"].dump()) +
                "," + row["ok"].dump() + "\n";
    return text;
}

// Every encoder with every variant that is not another encoder's.
std::vector<std::pair<std::string, Variant>> entries_of(const std::vector<std::string> &encoders,
                                                        const EncodingOptions &o) {
    const std::vector<Variant> variants = parse_variants(o.variants);
    std::vector<std::pair<std::string, Variant>> entries;
    for (const std::string &item : encoders)
        for (const Variant &variant : variants)
            if (variant.encoder.empty()) entries.emplace_back(item, variant);
    for (const Variant &variant : variants)
        if (!variant.encoder.empty()) entries.emplace_back(variant.encoder, variant);
    return entries;
}

constexpr Choice<TableFormat> kTableFormats[] = {{"markdown", TableFormat::markdown},
                                                 {"json", TableFormat::json},
                                                 {"csv", TableFormat::csv},
                                                 {"html", TableFormat::html}};

int run_compare(const CompareRequest &o) {
    check_result(o, o.output);
    ProbeRequest named = o; // encoders that are asked for are tried while the source is looked at
    take_metric_of_targets(o, named);
    named.encoders.insert(named.encoders.end(), o.items.begin(), o.items.end());
    Run run(named, true);
    const std::vector<QualityTarget> targets = quality_targets(o, o, 92);
    const Source source = run.open_source(o.sources.at(0));
    const std::vector<Variant> variants = parse_variants(o.variants);
    std::vector<std::string> wanted = o.items;
    if (o.variants.empty()) wanted.insert(wanted.end(), o.encoders.begin(), o.encoders.end());
    if (wanted.empty() && !o.variants.empty()) { // option sets of one encoder, unless more are asked for
        if (std::any_of(variants.begin(), variants.end(), [](const Variant &v) { return v.encoder.empty(); }))
            wanted = o.encoders.empty() ? std::vector<std::string>{"libx264"} : o.encoders;
    } else if (wanted.empty()) {
        const std::vector<std::string> available = available_encoders(run.programs());
        for (const Adapter &adapter : adapters())
            if (!adapter.is_hardware && std::find(available.begin(), available.end(), adapter.name) != available.end())
                wanted.push_back(adapter.name);
    }
    const auto part_of = [](const std::string &item, const Variant &variant) { return item + " " + variant.name; };
    if (o.cluster.on_parts) {
        std::vector<std::string> parts;
        for (const auto &[item, variant] : entries_of(wanted, o)) parts.push_back(part_of(item, variant));
        o.cluster.on_parts({parts});
        return kExitOk;
    }
    const auto started = std::chrono::steady_clock::now();
    std::vector<Entry> entries;
    for (const auto &[item, variant] : entries_of(wanted, o)) {
        if (!o.cluster.part.empty() && o.cluster.part != part_of(item, variant)) continue;
        const std::size_t colon = item.find(':');
        Entry entry{item.substr(0, colon),
                    colon == std::string::npos ? run.only_preset() : item.substr(colon + 1),
                    variant.name,
                    {},
                    ""};
        if (!variant.preset.empty()) entry.preset = variant.preset;
        try {
            const Adapter &adapter = run.adapter(entry.codec);
            entry.codec = adapter.name;
            SearchOptions own = o; // windows apply only where the adapter accepts them
            if (own.min_q && *own.min_q < adapter.hard.low) own.min_q.reset();
            if (own.max_q && *own.max_q > adapter.hard.high) own.max_q.reset();
            ProbeSetup setup = run.setup(source, adapter, entry.preset, true, variant);
            entry.preset = setup.encode.preset;
            if (o.dry_run) {
                print_probe_commands(setup, adapter.default_q);
                continue;
            }
            QualitySearch search(run, own, setup, targets, adapter.step);
            entry.report = search.find(targets);
        } catch (const CommandError &e) {
            if (e.code() == kExitInterrupted) throw;
            entry.error = e.what();
        }
        entries.push_back(std::move(entry));
    }
    if (o.dry_run) return kExitOk;
    if (o.encode_jobs > 1 || o.jobs > 1)
        run.progress().warn("with several encode jobs the encode times are not comparable; use --encode-jobs 1");
    const auto good = [](const Entry &e) { return e.error.empty() && e.report.ok(); };
    std::stable_sort(entries.begin(), entries.end(), [&](const Entry &a, const Entry &b) {
        if (good(a) != good(b)) return good(a);
        return good(a) ? a.report.bitrate_kbps < b.report.bitrate_kbps : a.codec < b.codec;
    });
    double baseline = 0;
    for (const Entry &e : entries)
        if (good(e) && (o.baseline.empty() ? baseline == 0
                                           : e.codec == o.baseline || (!e.variant.empty() && e.variant == o.baseline)))
            baseline = e.report.bitrate_kbps;
    json document = {
        {"src", source.path},
        {"target_vmaf", targets.front().value},
        {"tool_version", VMAF_VERSION},
        {"wall_time_ms", std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count()},
        {"scored", json::array()},
        {"rows", json::array()}};
    json &scored = document["scored"]; // one line unless encoders were scored under different conditions
    for (const Entry &e : entries)
        if (!e.report.scored.empty() && std::find(scored.begin(), scored.end(), e.report.scored) == scored.end())
            scored.push_back(e.report.scored);
    for (const Entry &e : entries) document["rows"].push_back(row_of(e, targets.front().value, baseline));
    const TableFormat format = o.format.value_or(o.json ? TableFormat::json : TableFormat::markdown);
    const std::string text = format == TableFormat::json
                                 ? document.dump(2, ' ', false, json::error_handler_t::replace) + "\n"
                             : format == TableFormat::csv  ? csv(document)
                             : format == TableFormat::html ? html(document)
                                                           : markdown(document);
    write_result(o, o.output, text);
    if (std::any_of(entries.begin(), entries.end(),
                    [](const Entry &e) { return e.report.failure_status == kStatusBackendNotKept; }))
        return kExitBackend;
    return std::any_of(entries.begin(), entries.end(), good) ? kExitOk : kExitUnmet;
}

void bind_compare(CLI::App &app, CompareRequest &o) {
    bind_encoding_command(app, o, {.several_encoders = true});
    bind_variants(app, o);
    bind_search(app, o);
    add_option(app, "--encoders", o.items, "ENCODER[:PRESET], separated by commas (default: all software encoders)")
        ->delimiter(',');
    add_option(app, "--baseline", o.baseline, "encoder or variant to compare the others with");
    add_choice(app, "--format", o.format, kTableFormats, "format of the table");
    bind_older_flags(app, o, &o);
    bind_cluster(app, o.cluster);
}

int run_compare_anywhere(const CompareRequest &o) { return run_anywhere(o, "compare", run_compare); }

} // namespace

void add_compare(Commands &commands) {
    commands.add<CompareRequest>({"compare",
                                  "several encoders at one target, ranked by bitrate",
                                  {},
                                  "  vmaf-tune compare -i film.mkv --encoders libx264,libsvtav1 --target-vmaf 93\n"
                                  "  vmaf-tune compare -i film.mkv --encoders libx264:fast,libx264:slow \\\n"
                                  "      --target-vmaf 93\n"
                                  "  vmaf-tune compare -i film.mkv --variant plain= --variant grain=tune=grain \\\n"
                                  "      --target-vmaf 93"},
                                 bind_compare, run_compare_anywhere);
}

} // namespace vmaf::tune
