// `per-shot`: a quality value for each shot, so that quality stays constant over time (tune.md 12.7).
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "commands/commands.hpp"
#include "commands/quality_search.hpp"
#include "report/output_file.hpp"
#include "stages/shots.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = std::filesystem;

int run_per_shot(const Options &o) {
    Run run(o, true);
    const std::vector<QualityTarget> targets = quality_targets(o, 92);
    const Source source = run.open_source(o.sources.at(0));
    const Adapter &adapter = run.adapter(o.encoders.empty() ? "libx264" : o.encoders.front());
    const double fps = source.rate.value();
    if (fps <= 0) throw usage_error("the frame rate is not known; give --framerate");

    ShotSettings shot_settings{o.diff_threshold, o.min_shot,
                               static_cast<std::int64_t>(std::lround(parse_duration(o.max_shot) * fps))};
    std::vector<Shot> shots;
    try {
        shots = o.shots.empty() ? detect_shots(run.programs(), source, shot_settings) : read_shots(o.shots);
    } catch (const Error &e) {
        throw usage_error(e.what());
    }
    if (shots.empty()) {
        run.progress().warn("shots could not be detected; the source is treated as one");
        shots = {{0, std::max<std::int64_t>(1, source.frame_count())}};
    }
    run.progress().say(std::to_string(shots.size()) + " shots");

    const std::string output = o.output.empty() ? "per_shot_encode.mkv" : o.output;
    const fs::path segments =
        o.segment_dir.empty() ? fs::absolute(output).parent_path() / "segments" : fs::path(o.segment_dir);
    json plan = {{"src", source.path},
                 {"encoder", adapter.name},
                 {"framerate", fps},
                 {"predicate", o.search},
                 {"target_vmaf", targets.front().value},
                 {"shots", json::array()},
                 {"segment_commands", json::array()}};
    std::vector<Arguments> commands;
    std::optional<double> hint;
    bool all_met = true;
    ProbeSetup base = run.setup(source, adapter, o.presets.empty() ? "" : o.presets.front(), false);
    plan["preset"] = base.encode.preset;
    for (std::size_t i = 0; i < shots.size(); i++) {
        const Shot &shot = shots[i];
        ProbeSetup setup = base;
        const Window window{double(shot.start) / fps, shot.frames()};
        setup.samples = {{source, window, window.start, double(shot.frames()) / fps}};
        setup.clip_mode = "shot";
        setup.source.duration = setup.samples[0].seconds;
        const SearchReport report = search_quality(run, setup, targets, 1, hint);
        if (report.failed) throw CommandError(kExitFailed, "shot " + std::to_string(i) + " failed: " + report.error);
        hint = report.q;
        all_met = all_met && report.ok();
        plan["shots"].push_back({{"start_frame", shot.start},
                                 {"end_frame", shot.end},
                                 {"crf", report.q},
                                 {"predicted_vmaf", report.score},
                                 {"bitrate_kbps", report.bitrate_kbps},
                                 {"probes", report.probes.size()},
                                 {"measured", true},
                                 {"met", report.ok()}});
        char name[48];
        std::snprintf(name, sizeof name, "segment_%05zu.mkv", i);
        commands.push_back(
            encode_command(base.programs, source, window, base.encode, report.q, 0, "", (segments / name).string()));
        plan["segment_commands"].push_back(commands.back());
    }
    const std::string list_path = (segments / "concat.txt").string();
    const std::string part = output + ".part" + fs::path(output).extension().string();
    Arguments concat = {
        base.programs.ffmpeg,  "-y", "-hide_banner", "-nostdin", "-v", "error", "-f", "concat", "-safe", "0", "-i",
        ffmpeg_path(list_path)};
    if (source.has_other_streams && source.kind == Source::Kind::container) {
        concat.insert(concat.end(), {"-i", ffmpeg_path(source.path), "-map", "0:v", "-map", "1:a?", "-map", "1:s?"});
    }
    concat.insert(concat.end(), {"-c", "copy", ffmpeg_path(part)});
    plan["concat_command"] = concat;

    std::string list_text;
    for (std::size_t i = 0; i < shots.size(); i++) {
        char name[48];
        std::snprintf(name, sizeof name, "segment_%05zu.mkv", i);
        std::string path = fs::absolute(segments / name).string();
        for (std::size_t at = 0; (at = path.find('\'', at)) != std::string::npos; at += 4) path.replace(at, 1, "'\\''");
        list_text += "file '" + path + "'\n";
    }
    if (!o.script_out.empty()) {
        std::string script = "#!/bin/sh\nset -eu\nmkdir -p " + shell_quoted(segments.string()) + "\n";
        for (const Arguments &command : commands) script += shell_quoted(command) + "\n";
        script += "cat > " + shell_quoted(list_path) + " <<'LIST'\n" + list_text + "LIST\n" + shell_quoted(concat) +
                  "\nmv " + shell_quoted(part) + " " + shell_quoted(output) + "\n";
        vmaf::write_output_file(o.script_out, [&](const auto &out) { out(script); });
    }
    if (o.run) {
        std::error_code error;
        fs::create_directories(segments, error);
        std::ofstream(list_path) << list_text;
        for (std::size_t i = 0; i < commands.size(); i++) {
            run.check_interrupted();
            const std::string segment = commands[i].back().substr(5); // without "file:"
            // A finished segment of an earlier run with the same plan is kept.
            if (fs::exists(segment + ".done", error)) {
                std::ifstream done(segment + ".done");
                const std::string text((std::istreambuf_iterator<char>(done)), {});
                if (text == shell_quoted(commands[i])) continue;
            }
            const Outcome outcome = run_child(commands[i]);
            if (!outcome.ok())
                throw CommandError(kExitFailed, "segment " + std::to_string(i) + ": " +
                                                    explain_failure("the encoder", outcome.code, outcome.error_tail));
            std::ofstream(segment + ".done") << shell_quoted(commands[i]);
        }
        const Outcome outcome = run_child(concat);
        if (!outcome.ok())
            throw CommandError(kExitFailed, explain_failure("joining the segments", outcome.code, outcome.error_tail));
        fs::rename(part, output, error);
        if (error) throw CommandError(kExitOutput, "'" + output + "' cannot be written: " + error.message());
        SourceRequest request;
        request.path = output;
        request.ffprobe = base.programs.ffprobe;
        request.hash = SourceRequest::Hash::none;
        const Source produced = probe_source(request);
        const ScoreResult scored = run_score(base.programs, {&source, {}, &produced, {}, shots.back().end}, base.score);
        if (scored.ok())
            plan["final_score"] = pooled(scored.series.at(base.score.metrics.front().series), o.pool);
        else
            run.progress().warn("the joined file could not be scored: " + scored.error);
    }
    const std::string text = plan.dump(2) + "\n";
    vmaf::write_output_file(o.plan_out.empty() ? "-" : o.plan_out, [&](const auto &out) { out(text); });
    return all_met ? kExitOk : kExitUnmet;
}

} // namespace vmaf::tune
