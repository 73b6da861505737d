// `search`, `sample` and `encode`: one source, one encoder, one answer (tune.md 12.2, 12.3).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <unistd.h>

#include "base/error.hpp"
#include "commands/commands.hpp"
#include "commands/quality_search.hpp"
#include "reporting/plot.hpp"
#include "rows/row.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

void print_line(const std::string &text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
}

std::string human_size(double bytes) {
    char text[32];
    const char *unit = bytes >= 1e9 ? "GB" : bytes >= 1e6 ? "MB" : "kB";
    std::snprintf(text, sizeof text, "%.2f%s", bytes / (bytes >= 1e9 ? 1e9 : bytes >= 1e6 ? 1e6 : 1e3), unit);
    return text;
}

std::string human_result(const ProbeSetup &setup, const SearchReport &r, const QualityTarget &target) {
    if (r.failed)
        return "src=" + setup.source.path + " encoder=" + setup.encode.adapter->name +
               " preset=" + setup.encode.preset + " [FAILED] " + r.error;
    char text[200];
    std::snprintf(text, sizeof text, " crf=%s %s=%.4f kbps=%.1f predicted_size=%s probes=%zu [%s]",
                  number_text(r.q).c_str(), target.metric.c_str(), r.score, r.bitrate_kbps,
                  human_size(r.predicted_bytes).c_str(), r.probes.size(),
                  r.ok()                                  ? "OK"
                  : r.status == SearchStatus::no_solution ? "NO SOLUTION"
                                                          : "UNMET");
    return "src=" + setup.source.path + " encoder=" + setup.encode.adapter->name + " preset=" + setup.encode.preset +
           text;
}

std::vector<std::string> or_default(const std::vector<std::string> &list, const std::string &fallback) {
    return list.empty() ? std::vector<std::string>{fallback} : list;
}

// The cheapest row that passes, of an existing corpus (12.2).
int search_corpus(const Options &o) {
    const std::vector<QualityTarget> targets = quality_targets(o, std::nullopt);
    const QualityTarget &target = targets.front();
    const std::vector<json> rows = read_rows(
        o.from_corpus, [](const std::string &text) { std::fprintf(stderr, "vmaf-tune: %s\n", text.c_str()); });
    std::map<std::pair<std::string, std::string>, std::vector<const json *>> groups;
    for (const json &row : rows) {
        if (row.value("exit_status", 0) != 0 || !row.contains("vmaf_score") || !row["vmaf_score"].is_number()) continue;
        const std::string encoder = row.value("encoder", "");
        if (!o.encoders.empty() && std::find(o.encoders.begin(), o.encoders.end(), encoder) == o.encoders.end())
            continue;
        if (!o.presets.empty() &&
            std::find(o.presets.begin(), o.presets.end(), row.value("preset", "")) == o.presets.end())
            continue;
        groups[{row.value("src", ""), encoder}].push_back(&row);
    }
    if (groups.empty())
        throw CommandError(kExitFailed, "'" + o.from_corpus + "' has no rows with a score that fit the filters");
    bool all_met = true;
    for (const auto &[key, list] : groups) {
        const auto score = [&](const json *row) {
            return row->contains("score") && (*row)["score"].is_number() &&
                           row->value("metric", "vmaf") == target.metric
                       ? (*row)["score"].get<double>()
                       : (*row)["vmaf_score"].get<double>();
        };
        const json *best = nullptr;
        for (const json *row : list) {
            if (score(row) < target.value) continue;
            const double kbps = row->value("bitrate_kbps", 0.0);
            if (!best || kbps < best->value("bitrate_kbps", 0.0) ||
                (kbps == best->value("bitrate_kbps", 0.0) && score(row) > score(best)))
                best = row;
        }
        const bool met = best != nullptr;
        all_met = all_met && met;
        if (!best)
            best = *std::max_element(list.begin(), list.end(), [&](auto *a, auto *b) { return score(a) < score(b); });
        if (o.json)
            print_line(json{{"type", "search-result"},
                            {"src", key.first},
                            {"encoder", key.second},
                            {"preset", best->value("preset", "")},
                            {"q", (*best)["crf"]},
                            {"score", score(best)},
                            {"target", target.value},
                            {"status", met ? "ok" : "unmet"},
                            {"bitrate_kbps", best->value("bitrate_kbps", 0.0)}}
                           .dump());
        else
            print_line("src=" + key.first + " encoder=" + key.second + " preset=" + best->value("preset", "") +
                       " crf=" + (*best)["crf"].dump() + " vmaf=" + number_text(score(best)) +
                       " kbps=" + number_text(best->value("bitrate_kbps", 0.0)) + (met ? " [OK]" : " [UNMET]"));
    }
    return all_met || o.best_effort ? kExitOk : kExitUnmet;
}

// The quality whose bitrate is nearest to a wish (9.11): a bracket on the grid, cut by interpolation in log bitrate.
SearchReport search_bitrate(Run &run, ProbeSetup setup, double wish) {
    const Options &o = run.options();
    const Adapter &adapter = *setup.encode.adapter;
    const QualityGrid grid(adapter, o, adapter.step);
    SearchReport report;
    report.target = wish;
    const auto started = std::chrono::steady_clock::now();
    const std::string label = adapter.name + " " + std::string(adapter.knob);
    setup.progress = [&](const StageProgress &p) { run.progress().stage(label, p); };
    std::map<int, std::size_t> at;           // k -> probe
    int above = -1, below = grid.last() + 1; // bitrate at least the wish; less than it
    int next = grid.nearest(adapter.default_q);
    while (below - above > 1) {
        run.check_interrupted();
        const ProbeResult probe = run_probe(setup, grid.q(next));
        if (probe.ok() && !report.probes.empty() && probe.backend != report.probes.front().backend) {
            report.probes.clear(); // a backend was lost: nothing is mixed, the search begins again (7.6)
            at.clear();
            above = -1;
            below = grid.last() + 1;
            next = grid.nearest(adapter.default_q);
            continue;
        }
        at[next] = report.probes.size();
        report.probes.push_back(probe);
        if (!probe.ok()) {
            run.check_interrupted();
            report.failed = true;
            report.error = report.reason = probe.error;
            return report;
        }
        run.progress().probe_done(
            setup.source.path,
            {{"q", probe.q}, {"bitrate_kbps", probe.bitrate_kbps()}, {"from_cache", probe.from_cache}},
            label + " " + number_text(probe.q) + ": " + fixed_text(probe.bitrate_kbps(), 1) + " kbps");
        (probe.bitrate_kbps() >= wish ? above : below) = next;
        double cut = (double(above) + below) / 2;
        if (above >= 0 && below <= grid.last()) {
            const double a = std::log(report.probes[at[above]].bitrate_kbps()),
                         b = std::log(report.probes[at[below]].bitrate_kbps());
            if (a > b) cut = above + (below - above) * (a - std::log(wish)) / (a - b);
        }
        next = std::clamp(static_cast<int>(std::lround(cut)), above + 1, std::max(above + 1, below - 1));
    }
    // The nearer of the two; the better quality where both are as near.
    int chosen = above >= 0 ? above : below;
    if (above >= 0 && below <= grid.last() &&
        std::fabs(report.probes[at[below]].bitrate_kbps() - wish) <
            std::fabs(report.probes[at[above]].bitrate_kbps() - wish))
        chosen = below;
    const ProbeResult &probe = report.probes[at[chosen]];
    report.status = SearchStatus::ok;
    report.at_bound = chosen == 0 || chosen == grid.last();
    report.q = probe.q;
    report.score = probe_score(probe, o.metric, o.pool);
    report.margin = probe.bitrate_kbps() - wish;
    report.bitrate_kbps = probe.bitrate_kbps();
    report.predicted_bytes = predicted_size(setup, probe);
    report.predicted_percent =
        setup.source.file_bytes ? 100 * report.predicted_bytes / double(setup.source.file_bytes) : 0;
    report.predicted_seconds =
        probe.encoded_duration > 0 ? probe.encode_seconds * setup.source.duration / probe.encoded_duration : 0;
    report.elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return report;
}

} // namespace

int run_search(const Options &o) {
    if (!o.from_corpus.empty()) return search_corpus(o);
    if (o.sources.empty()) throw usage_error("give a source with -i, or --from-corpus");
    if (o.two_pass)
        throw usage_error(
            "a search needs a quality value; --two-pass needs a bitrate: use `vmaf-tune encode --two-pass --bitrate`");
    if (o.target_bitrate && (o.target_vmaf || !o.targets.empty()))
        throw usage_error("--target-bitrate and a quality target exclude each other; use --max-bitrate for a limit");
    if (o.target_bitrate && !(*o.target_bitrate > 0)) throw usage_error("--target-bitrate must be positive");
    std::vector<QualityTarget> targets =
        quality_targets(o, o.target_bitrate); // a bitrate stands in where one is wished
    Run run(o, true);
    std::unique_ptr<RowWriter> rows;
    if (!o.output.empty())
        rows = std::make_unique<RowWriter>(o.output, o.overwrite ? RowWriter::Mode::overwrite : RowWriter::Mode::fresh);
    int worst = kExitOk;
    for (const std::string &path : o.sources) {
        const Source source = run.open_source(path);
        for (const std::string &encoder : or_default(o.encoders, "libx264"))
            for (const std::string &preset : or_default(o.presets, "")) {
                const Adapter &adapter = run.adapter(encoder);
                ProbeSetup setup = run.setup(source, adapter, preset, true);
                if (o.dry_run) {
                    const QualityGrid grid(adapter, o, adapter.step);
                    print_line(shell_quoted(encode_command(setup.programs, setup.samples.front().source,
                                                           setup.samples.front().window, setup.encode,
                                                           grid.q(grid.last() / 2), 0, "", "OUTPUT.mkv")));
                    continue;
                }
                SearchReport report = o.target_bitrate ? search_bitrate(run, setup, *o.target_bitrate)
                                                       : search_quality(run, setup, targets, adapter.step);
                for (std::size_t i = 0;
                     i < o.fallback_targets.size() && !report.failed && report.status == SearchStatus::unmet; i++) {
                    targets.front().value = o.fallback_targets[i];
                    report = search_quality(run, setup, targets, adapter.step);
                }
                if (rows)
                    for (const ProbeResult &probe : report.probes) rows->write(make_row(setup, probe));
                json object = search_json(setup, report, targets);
                if (o.target_bitrate) object["target_bitrate_kbps"] = *o.target_bitrate;
                run.progress().event(object);
                if (o.json) {
                    for (const json &probe : object["probes"]) {
                        json line = probe;
                        line["type"] = "probe";
                        print_line(line.dump());
                    }
                    print_line(object.dump());
                } else {
                    print_line(human_result(setup, report, targets.front()));
                    if (!report.ok()) run.progress().say("vmaf-tune search: no suitable quality: " + report.reason);
                    if (report.ok() && isatty(STDOUT_FILENO)) run.progress().say("encode it with:");
                    if (report.ok()) print_line(shell_quoted(encode_hint(o, setup, report.q)));
                }
                if (report.failed)
                    worst = std::max<int>(worst, kExitFailed);
                else if (!report.ok() && !o.best_effort)
                    worst = std::max<int>(worst, kExitUnmet);
            }
    }
    return worst;
}

int run_sample(const Options &o) {
    if (o.q_values.size() != 1) throw usage_error("sample needs one --crf");
    Run run(o, true);
    const Source source = run.open_source(o.sources.at(0));
    const Adapter &adapter = run.adapter(or_default(o.encoders, "libx264").front());
    ProbeSetup setup = run.setup(source, adapter, o.presets.empty() ? "" : o.presets.front(), true);
    setup.progress = [&](const StageProgress &p) { run.progress().stage(adapter.name, p); };
    if (o.dry_run) {
        for (const Sample &sample : setup.samples)
            print_line(shell_quoted(encode_command(setup.programs, sample.source, sample.window, setup.encode,
                                                   o.q_values[0], 0, "", "OUTPUT.mkv")));
        return kExitOk;
    }
    const ProbeResult probe = run_probe(setup, o.q_values[0]);
    run.check_interrupted();
    if (!probe.ok()) throw CommandError(kExitFailed, probe.stage + " failed: " + probe.error);
    for (const std::string &warning : probe.warnings) run.progress().warn(warning);
    const double score = probe_score(probe, o.metric, o.pool), bytes = predicted_size(setup, probe);
    const double percent = source.file_bytes ? 100 * bytes / double(source.file_bytes) : 0;
    const double seconds =
        probe.encoded_duration > 0 ? probe.encode_seconds * source.duration / probe.encoded_duration : 0;
    if (o.json) {
        json row = make_row(setup, probe);
        row["type"] = "sample-done";
        row["predicted_size_bytes"] = std::round(bytes);
        row["predicted_percent"] = percent;
        row["predicted_seconds"] = seconds;
        print_line(row_text(row));
    } else {
        char text[200];
        std::snprintf(text, sizeof text, "%s=%s %s=%.4f kbps=%.1f predicted_size=%s (%.1f%%) predicted_time=%.0fs%s",
                      std::string(adapter.knob).c_str(), number_text(probe.q).c_str(), o.metric.c_str(), score,
                      probe.bitrate_kbps(), human_size(bytes).c_str(), percent, seconds,
                      probe.from_cache ? " [cached]" : "");
        print_line(text);
    }
    return kExitOk;
}

int run_encode_command(const Options &o) {
    const bool by_bitrate = o.two_pass || o.bitrate;
    if (o.q_values.size() > 1) throw usage_error("encode takes one --crf");
    Run run(o, true);
    const std::string source_path = o.sources.at(0);
    const Source source = run.open_source(source_path);
    const Adapter &adapter = run.adapter(or_default(o.encoders, "libx264").front());
    ProbeSetup setup = run.setup(source, adapter, o.presets.empty() ? "" : o.presets.front(), true);
    if (o.bitrate) setup.encode.bitrate_kbps = o.bitrate;

    double q = adapter.default_q;
    json result = {
        {"type", "encode-result"}, {"src", source.path}, {"encoder", adapter.name}, {"preset", setup.encode.preset}};
    if (!o.q_values.empty()) {
        q = o.q_values[0];
    } else if (!by_bitrate) {
        const std::vector<QualityTarget> targets = quality_targets(o, metric_choice(o.metric)->default_target);
        const SearchReport report = search_quality(run, setup, targets, adapter.step);
        if (report.failed) throw CommandError(kExitFailed, "the search failed: " + report.error);
        if (!report.ok() && !o.best_effort) throw CommandError(kExitUnmet, "no suitable quality: " + report.reason);
        q = report.q;
        result["search"] = search_json(setup, report, targets);
        run.progress().say(human_result(setup, report, targets.front()));
    }

    const fs::path input(source.path);
    const std::string ext = input.extension() == ".mp4" ? "mp4" : "mkv";
    const std::string codec = adapter.name.substr(adapter.name.starts_with("lib") ? 3 : 0);
    const std::string output = o.output.empty()
                                   ? (input.parent_path() / (input.stem().string() + "." + codec + "." + ext)).string()
                                   : o.output;
    std::error_code error;
    if (fs::exists(output, error) && fs::equivalent(output, source.path, error))
        throw usage_error("the output is the source itself; give another --output");
    if (fs::exists(output, error) && !o.overwrite)
        throw CommandError(kExitOutput, "'" + output + "' exists; use --overwrite or another --output");
    const std::string extension = fs::path(output).extension().string();
    const std::string temporary = output + ".part" + extension;

    const auto command_for = [&](int pass) {
        Arguments command =
            encode_command(setup.programs, source, {}, setup.encode, q, pass, temporary + ".stats", temporary);
        // The finished file keeps sound and subtitles.
        const auto an = std::find(command.begin(), command.end(), "-an");
        if (an != command.end() && source.kind == Source::Kind::container && source.has_other_streams && pass != 1) {
            command.erase(an, an + 3);
            const auto map = std::find(command.begin(), command.end(), "-map");
            command.insert(map, {"-map", "0", "-map", "-0:v", "-map", "-0:d?", "-c", "copy"});
        }
        command.insert(command.end() - 1,
                       {"-metadata", "VMAF_TUNE_ARGS=" + adapter.name + " " + std::string(adapter.knob) + "=" +
                                         number_text(q) + " preset=" + setup.encode.preset});
        if (extension == ".mp4") command.insert(command.end() - 1, {"-movflags", "+faststart"});
        return command;
    };
    const int passes = setup.encode.two_pass ? 2 : 1;
    if (o.dry_run) {
        for (int pass = passes == 2 ? 1 : 0; pass <= (passes == 2 ? 2 : 0); pass++)
            print_line(shell_quoted(command_for(pass)));
        return kExitOk;
    }
    double seconds = 0;
    for (int pass = passes == 2 ? 1 : 0; pass <= (passes == 2 ? 2 : 0); pass++) {
        Arguments command = command_for(pass);
        result["argv"] = command;
        command.insert(command.begin() + 1, {"-progress", "pipe:1"});
        RunOptions child;
        StageProgress p{Stage::encode, q, 0, 1, 0, source.frame_count(), 0};
        child.on_output_line = [&](std::string_view line) {
            const std::string text(line);
            if (text.starts_with("frame=")) p.frame = std::strtoll(text.c_str() + 6, nullptr, 10);
            if (text.starts_with("fps=")) p.fps = std::strtod(text.c_str() + 4, nullptr);
            if (text.starts_with("progress=")) run.progress().stage(adapter.name, p);
        };
        const Outcome outcome = run_child(command, child);
        seconds += outcome.seconds;
        if (!outcome.ok()) {
            fs::remove(temporary, error);
            for (const auto &entry : fs::directory_iterator(fs::absolute(temporary).parent_path(), error))
                if (entry.path().filename().string().starts_with(fs::path(temporary).filename().string() + ".stats"))
                    fs::remove(entry.path(), error);
            run.check_interrupted();
            throw CommandError(kExitFailed, explain_failure("the encoder", outcome.code, outcome.error_tail));
        }
    }
    for (const auto &entry : fs::directory_iterator(fs::absolute(temporary).parent_path(), error))
        if (entry.path().filename().string().starts_with(fs::path(temporary).filename().string() + ".stats"))
            fs::remove(entry.path(), error);
    fs::rename(temporary, output, error);
    if (error) throw CommandError(kExitOutput, "'" + output + "' cannot be written: " + error.message());
    const PacketSummary packets = video_packets(setup.programs.ffprobe, output);
    result["output"] = output;
    result["q"] = q;
    result["encode_time_ms"] = seconds * 1000;
    result["encode_size_bytes"] = packets.bytes;
    result["encoded_frames"] = packets.packets;
    result["bitrate_kbps"] = source.duration > 0 ? double(packets.bytes) * 8 / 1000 / source.duration : 0;
    if (o.verify_score) {
        SourceRequest request;
        request.path = output;
        request.ffprobe = setup.programs.ffprobe;
        request.hash = SourceRequest::Hash::none;
        const Source produced = probe_source(request);
        const ScoreResult scored =
            run_score(setup.programs, {&source, {}, &produced, {}, packets.packets}, setup.score);
        if (!scored.ok()) throw CommandError(kExitFailed, "the finished file cannot be scored: " + scored.error);
        result["score"] = pooled(scored.series.at(setup.score.metrics.front().series), o.pool);
        result["score_backend"] = scored.backend_used;
    }
    if (o.json)
        print_line(result.dump());
    else
        print_line(output + ": " + std::string(adapter.knob) + "=" + number_text(q) +
                   " kbps=" + number_text(std::round(result["bitrate_kbps"].get<double>() * 10) / 10) +
                   (result.contains("score") ? " " + o.metric + "=" + number_text(result["score"].get<double>()) : ""));
    return kExitOk;
}

} // namespace vmaf::tune
