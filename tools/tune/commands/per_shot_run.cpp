#include "commands/per_shot_run.hpp"

#include <iterator>
#include <nlohmann/json.hpp>

#include "system/filesystem.hpp"
#include "system/output_file.hpp"
#include "system/trust.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

void put_text(const std::string &path, const std::string &text) {
    system::write_output_file(path, [&](const auto &out) { out(text); });
}

std::string text_of_file(const std::string &path) {
    fs::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string mark_of(const ShotSegment &segment) { return segment.path + ".done"; } // says what made it
std::string maker_of(const ProbeSetup &base, const ShotSegment &segment) {
    return shell_quoted(segment.command) + "\n" + base.source.id;
}

bool is_made(const ProbeSetup &base, const ShotSegment &segment) {
    std::error_code error;
    std::string danger; // never trusts forged ones
    return fs::exists(segment.path, error) &&
           system::who_else_can_change(segment.path, system::Reach::itself).empty() &&
           system::content_if_own(mark_of(segment), danger) == maker_of(base, segment);
}

} // namespace

// In this run's folder until complete.
void encode_segment(const ProbeSetup &base, const ShotSegment &segment, const std::string &folder) {
    if (is_made(base, segment)) return;
    std::error_code error;
    fs::create_directories(folder, error);
    const WorkFolder parts(folder, false, WorkFolder::Holds::results);
    Arguments command = segment.command;
    const std::string part = (fs::path(parts.path()) / fs::path(segment.path).filename()).string();
    command.back() = ffmpeg_path(part);
    RunOptions options;
    options.timeout = base.encode.timeout;
    if (base.encode.is_patient) options.progress_marker = work_done;
    ChildResult outcome;
    for (int attempt = 1; attempt <= base.encode.max_tries; attempt++) {
        outcome = run_child(command, options);
        if (outcome.ok() || outcome.code < 128 || outcome.timed_out || outcome.interrupted) break;
    }
    try {
        const std::string name = fs::path(segment.path).filename().string();
        demand_success(outcome, name + ": the encoder", segment.path);
        FrameWish wish;
        if (base.encode.vfilter.empty()) wish = {segment.frames, true};
        demand_whole(base.programs, outcome, part, wish, segment.path);
        demand_unchanged(base.source);
        put_in_place(part, segment.path);
    } catch (const std::exception &) {
        fs::remove(part, error);
        throw;
    }
    put_text(mark_of(segment), maker_of(base, segment));
}

ShotAssembly assemble(const ProbeSetup &base, const std::vector<ShotSegment> &segments, const std::string &folder,
                      const std::string &output, double first_time) {
    ShotAssembly a;
    a.segments = segments;
    a.output = output;
    const std::string extension = fs::path(output).extension().string();
    a.part = output + ".part" + extension;
    a.list_path = (fs::path(folder) / "concat.txt").string();
    for (const ShotSegment &segment : segments) {
        std::string path = fs::absolute(segment.path).string();
        for (std::size_t at = 0; (at = path.find('\'', at)) != std::string::npos; at += 4) path.replace(at, 1, "'\\''");
        a.list_text += "file '" + path + "'\n";
        if (segment.seconds > 0) a.list_text += "duration " + fixed_text(segment.seconds, 6) + "\n";
    }
    const bool is_mp4 = extension == ".mp4" || extension == ".mov";
    const bool others = base.source.has_other_streams && base.source.kind == Source::Kind::container;
    a.concat_command = {base.programs.ffmpeg, "-y", "-hide_banner", "-nostdin", "-v", "error"};
    if (others && first_time > 0) // pictures that start after the sound do so in the joined file too
        append(a.concat_command, {"-itsoffset", number_text(first_time)});
    append(a.concat_command, {"-f", "concat", "-safe", "0", "-i", ffmpeg_path(a.list_path)});
    if (others)
        append(a.concat_command, {"-i", ffmpeg_path(base.source.path), "-map", "0:v", "-map", "1:a?", "-map", "1:s?",
                                  "-map_metadata", "1"});
    append(a.concat_command, {"-c", "copy"});
    if (is_mp4) {
        if (others) append(a.concat_command, {"-c:s", "mov_text"});
        append(a.concat_command, base.encode.adapter->container_tag(extension.substr(1)));
        append(a.concat_command, {"-movflags", "+faststart"});
    }
    a.concat_command.push_back(ffmpeg_path(a.part));
    return a;
}

std::string assembly_script(const ShotAssembly &a, const std::string &folder) {
    std::string script = "#!/bin/sh\nset -eu\nmkdir -p -- " + shell_quoted(folder) + "\n";
    for (const ShotSegment &segment : a.segments) script += shell_quoted(segment.command) + "\n";
    return script + "printf %s " + shell_quoted(a.list_text) + " > " + shell_quoted(a.list_path) + "\n" +
           shell_quoted(a.concat_command) + "\nmv -- " + shell_quoted(a.part) + " " + shell_quoted(a.output) + "\n";
}

void join_segments(Run &run, const ProbeSetup &base, const ShotAssembly &a, const NewFile &file) {
    for (const ShotSegment &segment : a.segments)
        if (text_of_file(mark_of(segment)) != maker_of(base, segment))
            throw CommandError(kExitFailed, "'" + segment.path +
                                                "' was replaced by another run meanwhile; give each a --segment-dir of "
                                                "its own");
    put_text(a.list_path, a.list_text);
    Arguments command = a.concat_command;
    command.back() = ffmpeg_path(file.path());
    const ChildResult outcome = run_child(command);
    run.check_interrupted();
    demand_success(outcome, "joining the segments", a.output);
    FrameWish wish;
    for (const ShotSegment &segment : a.segments) wish.frames += segment.frames;
    wish.is_exact = true;
    if (!base.encode.vfilter.empty()) wish = {};
    demand_whole(base.programs, outcome, file.path(), wish, a.output);
    file.keep(run.options().overwrite);
}

void remove_segments(const ShotAssembly &a, const std::string &folder) {
    std::error_code ignored;
    for (const ShotSegment &segment : a.segments) {
        fs::remove(segment.path, ignored);
        fs::remove(mark_of(segment), ignored);
    }
    fs::remove(a.list_path, ignored);
    fs::remove(folder, ignored); // if nothing else is there
}

json score_assembly(Run &run, const ProbeSetup &base, const ShotAssembly &a, const std::vector<PlannedShot> &shots) {
    json scores = {{"plan", json::object()}, {"shots", json::array()}};
    json &plan = scores["plan"];
    const Source produced = probe_own_encode(base.programs.ffprobe, a.output, base.source.rate);
    const std::int64_t frames = shots.back().shot.end;
    const ScoreResult scored = run_score(base.programs, {&base.source, {}, &produced, {}, frames}, base.score);
    if (!scored.ok()) {
        run.progress().warn("the joined file could not be scored: " + scored.outcome.sentence);
        return scores;
    }
    const Series &values = scored.series.at(base.score.metrics.front().series);
    const std::string &metric = base.score.metrics.front().name;
    plan["final_score"] = pooled_metric(metric, values, base.pool);
    if (static_cast<std::int64_t>(values.size()) != frames)
        return scores; // every n-th frame: shots cannot be separated
    Series of_shots;
    for (const PlannedShot &planned : shots) {
        const Series part(values.begin() + planned.shot.start, values.begin() + planned.shot.end);
        of_shots.push_back(pooled_metric(metric, part, base.pool));
    }
    scores["shots"] = of_shots;
    plan["spread"] = {
        {"min", pooled(of_shots, "min")}, {"max", pooled(of_shots, "max")}, {"std", standard_deviation(of_shots)}};
    run.progress().say("joined: " + base.score.metrics.front().name + " " + fixed_text(plan["final_score"], 4) +
                       "; shots from " + fixed_text(plan["spread"]["min"], 4) + " to " +
                       fixed_text(plan["spread"]["max"], 4));
    return scores;
}

} // namespace vmaf::tune
