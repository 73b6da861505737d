#include "commands/search_result.hpp"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/visible_text.hpp"
#include "cli/outputs.hpp"
#include "system/filesystem.hpp"
#include "system/host.hpp"
#include "system/output_file.hpp"
#include "system/startup.hpp"
#include "system/terminal.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

void print_line(const std::string &line) {
    Progress::make_way();
    const std::string text = system::is_terminal(system::Stream::output) ? visible_lines(line) : line;
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fputc('\n', stdout);
    system::output_arrives(); // main() checks again
}

std::string human_size(double bytes) {
    const double unit = bytes >= 1e9 ? 1e9 : bytes >= 1e6 ? 1e6 : 1e3;
    return fixed_text(bytes / unit, 2) + (unit == 1e9 ? "GB" : unit == 1e6 ? "MB" : "kB");
}

const char *status_word(const SearchReport &report) {
    if (report.failed()) return "failed";
    switch (report.status) {
    case SearchStatus::ok: return "ok";
    case SearchStatus::no_solution: return "no_solution";
    default: return "unmet";
    }
}

namespace {

bool is_damaged(const SearchReport &report) {
    for (const ProbeResult &probe : report.probes)
        for (const std::string &warning : probe.warnings)
            if (warning.starts_with("the source is damaged")) return true;
    return false;
}

} // namespace

json probe_json(const ProbeSetup &setup, const ProbeResult &p, const QualityTarget &target) {
    return {{"q", setup.encode.bitrate_kbps ? json(nullptr) : json(p.q)},
            {"score", p.ok() ? json(probe_score(setup, p, target.metric, target.pool)) : json(nullptr)},
            {"bitrate_kbps", p.bitrate_kbps()},
            {"samples", p.samples.size()},
            {"from_cache", p.from_cache},
            {"exit_status", p.outcome.row_status()}};
}

json search_json(const ProbeSetup &setup, const SearchReport &r, const std::vector<QualityTarget> &targets) {
    const auto point = [](const SearchPoint &p) {
        return json{{"q", p.q}, {"score", p.score}, {"bitrate_kbps", p.bitrate_kbps}};
    };
    json object = {{"type", "search-result"},
                   {"src", setup.source.path},
                   {"encoder", setup.encode.adapter->name},
                   {"preset", setup.encode.preset},
                   {"q_knob", setup.encode.adapter->knob},
                   {"metric", targets.front().metric},
                   {"pool", targets.front().pool},
                   {"target", r.target},
                   {"targets", json::array()},
                   {"sample_aggregate", word_of(kSampleAggregates, setup.aggregate)},
                   {"clip_mode", setup.clip_mode},
                   {"format_changes", setup.format_changes},
                   {"status", status_word(r)},
                   {"probes", json::array()},
                   {"non_monotone", r.non_monotone},
                   {"damaged_source", is_damaged(r)},
                   {"plateau", r.plateau},
                   {"at_bound", r.at_bound},
                   {"elapsed_s", r.elapsed},
                   {"score_backend", r.probes.empty() ? setup.score.backend : r.probes.back().backend},
                   {"reason", r.reason}};
    for (const QualityTarget &t : targets)
        object["targets"].push_back({{"metric", t.metric}, {"pool", t.pool}, {"value", t.value}});
    for (const ProbeResult &p : r.probes) object["probes"].push_back(probe_json(setup, p, targets.front()));
    if (r.best_passing) object["best_passing"] = point(*r.best_passing);
    if (r.best_fitting) object["best_fitting"] = point(*r.best_fitting);
    for (const SearchPoint &p : r.verified) object["verified"].push_back(point(p));
    const bool has_point = !r.failed() && !r.probes.empty();
    if (has_point) object["conditions"] = json::parse(r.conditions);
    object["q"] = has_point && r.q ? json(*r.q) : json(nullptr);
    for (const auto &[key, value] :
         {std::pair("score", r.score), std::pair("margin", r.margin), std::pair("bitrate_kbps", r.bitrate_kbps),
          std::pair("predicted_size_bytes", std::round(r.prediction.bytes)),
          std::pair("predicted_percent", r.prediction.percent), std::pair("predicted_seconds", r.prediction.seconds)})
        object[key] = has_point ? json(value) : json(nullptr);
    return object;
}

std::string answer_sentence(const ProbeSetup &setup, const SearchReport &r, const std::vector<QualityTarget> &targets) {
    const auto score_text = [](const QualityTarget &t, double score) {
        // As many digits as needed to show the side of the target.
        const auto is_met = [&](double s) { return margin_above(t, s) >= 0; };
        int digits = 2;
        while (digits < 8 && is_met(std::atof(fixed_text(score, digits).c_str())) != is_met(score)) digits++;
        return (t.metric == "vmaf" ? "VMAF" : t.metric) + (t.pool == "mean" ? "" : " (" + t.pool + ")") + " " +
               fixed_text(score, digits);
    };
    std::string scores = score_text(targets.front(), r.score), missed;
    for (std::size_t i = 0; i < r.further_scores.size(); i++)
        scores += ", " + score_text(targets[i + 1], r.further_scores[i]);
    if (r.status == SearchStatus::no_solution)
        missed = " (larger than allowed)";
    else if (!r.ok() && targets.size() == 1)
        missed = " (the target of " + number_text(r.target) + " is not met)";
    else if (!r.ok())
        missed = " (not all targets are met)";
    const double seconds = r.prediction.seconds;
    return (r.q ? setup.encode.adapter->knob + " " + number_text(*r.q) : "The encode") + " gives " + scores + missed +
           ": " + human_size(r.prediction.bytes) +
           (r.prediction.percent > 0 ? ", " + fixed_text(r.prediction.percent, 1) + " % of the source" : "") + ", " +
           fixed_text(r.bitrate_kbps, 0) + " kbps, about " +
           (seconds < 90 ? fixed_text(seconds, seconds < 10 ? 1 : 0) + " s" : fixed_text(seconds / 60, 1) + " min") +
           " to encode.";
}

std::string search_line(const ProbeSetup &setup, const SearchReport &r, const QualityTarget &target) {
    const std::string start =
        "src=" + setup.source.path + " encoder=" + setup.encode.adapter->name + " preset=" + setup.encode.preset;
    if (r.failed()) return start + " [FAILED] " + r.outcome.sentence;
    return start + (r.q ? " crf=" + number_text(*r.q) : "") + " " + target.metric + "=" + fixed_text(r.score, 4) +
           " kbps=" + fixed_text(r.bitrate_kbps, 1) + " predicted_size=" + human_size(r.prediction.bytes) +
           " probes=" + std::to_string(r.probes.size()) + (is_damaged(r) ? " [DAMAGED SOURCE]" : "") +
           (r.non_monotone ? " [NOT MONOTONE]" : "") +
           (r.ok()                                  ? " [OK]"
            : r.status == SearchStatus::no_solution ? " [NO SOLUTION]"
                                                    : " [UNMET]");
}

Arguments encode_hint(const ProgramOptions &o, const ProbeSetup &setup, const SearchReport &report) {
    Arguments command = {"vmaf-tune", "encode", "-i", setup.source.path};
    if (setup.source.kind == Source::Kind::raw)
        append(command, {"--width", std::to_string(setup.source.width), "--height", std::to_string(setup.source.height),
                         "--pix-fmt", setup.source.pix_fmt, "--framerate", setup.source.rate.text()});
    append(command, {"-e", setup.encode.adapter->name, "--preset", setup.encode.preset});
    if (report.q) append(command, {"--crf", number_text(*report.q)});
    append(command, setup.flags);
    for (const auto &[flag, value, plain] :
         {std::tuple("--ffmpeg-bin", o.ffmpeg, "ffmpeg"), std::tuple("--ffprobe-bin", o.ffprobe, "ffprobe")})
        if (value != plain) append(command, {flag, value});
    return command;
}

void check_folder(const std::string &path) {
    namespace fs = vmaf::system::fs;
    std::error_code error;
    const fs::path folder = fs::absolute(path).parent_path();
    if (!fs::is_directory(folder, error))
        throw CommandError(kExitOutput, "'" + path + "' cannot be written: there is no such folder");
    if (fs::is_directory(path, error)) throw CommandError(kExitOutput, "'" + path + "' is a folder; name a file");
    if (std::string reason; !system::is_writable_folder(folder.string(), reason))
        throw CommandError(kExitOutput, "'" + path + "' cannot be written: " + reason);
}

void check_result(const RunningOptions &o, const std::string &path) {
    if (path.empty() || path == "-" || o.dry_run) return;
    namespace fs = vmaf::system::fs;
    std::error_code error;
    if (!o.overwrite && fs::is_regular_file(path, error))
        throw CommandError(kExitOutput, "'" + path + "' exists; use --overwrite or another name");
    check_folder(path);
}

void write_result(const RunningOptions &o, const std::string &path, const std::string &text) {
    check_result(o, path);
    if (path.empty() || path == "-") return print_answer(text);
    vmaf::system::write_output_file(path, [&](const auto &out) { out(text); });
}

std::string deliver(const RunningOptions &o, const std::string &path, const std::string &text) {
    if (path.empty() || path == "-") return text;
    write_result(o, path, text);
    return "";
}

void print_probe_commands(const ProbeSetup &setup, double q) {
    for (const Sample &sample : setup.samples)
        for (int pass = setup.encode.two_pass ? 1 : 0; pass <= (setup.encode.two_pass ? 2 : 0); pass++)
            print_line(shell_quoted(encode_command(setup.programs, sample.source, sample.window, setup.encode, q, pass,
                                                   "OUTPUT.stats", "OUTPUT.mkv")));
}

} // namespace vmaf::tune
