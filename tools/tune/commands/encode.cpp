// `encode`: the whole file, at a given quality or one found by a search (tune.md 5.5, 12.3).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "cli/complain.hpp"
#include "cli/new_file.hpp"
#include "commands/commands.hpp"
#include "commands/search_result.hpp"
#include "stages/conditions.hpp"
#include "system/filesystem.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

constexpr double kLengthSlack = 2; // seconds of difference in length that --verify allows

struct EncodeRequest : ProbeRequest, SearchOptions {
    std::string audio_codec;
    bool video_only = false, verify = false, verify_score = false, fail_fast = false;
    bool overwrite_input = false; // the output may be the source
};

struct FileJob {
    Source source;
    ProbeSetup setup;
    double q = 0;
    std::string output, temporary; // temporary is written first and then replaces output
    std::string stats;             // prefix of two-pass statistics
};

bool is_mp4(const std::string &path) {
    const fs::path ext = fs::path(path).extension();
    return ext == ".mp4" || ext == ".m4v" || ext == ".mov";
}

std::string output_name(const Source &source, const Adapter &adapter) {
    const fs::path input(source.path);
    const std::string codec = adapter.name.substr(adapter.name.starts_with("lib") ? 3 : 0);
    const std::string ext = input.extension() == ".mp4" ? ".mp4" : ".mkv";
    return (input.parent_path() / (input.stem().string() + "." + codec + ext)).string();
}

// Copies everything except the video by default; pass 1 has only the video.
Arguments final_command(const EncodeRequest &o, const FileJob &job, int pass) {
    const ProbeSetup &setup = job.setup;
    Arguments command =
        encode_command(setup.programs, job.source, {}, setup.encode, job.q, pass, job.stats, job.temporary);
    if (o.fail_fast) command.insert(command.begin() + 1, "-xerror");
    const auto an = std::ranges::find(command, "-an");
    const bool others = job.source.kind == Source::Kind::container &&
                        (job.source.has_other_streams || !job.source.covers.empty()) && !o.video_only;
    if (an != command.end() && others && pass != 1) {
        command.erase(an, an + 3);
        Arguments keep = {"-map", "0:a?", "-map", "0:s?", "-c", "copy"};
        if (!o.audio_codec.empty()) append(keep, {"-c:a", o.audio_codec});
        if (is_mp4(job.output))
            append(keep, {"-c:s", "mov_text"}); // the only kind that mp4 can hold
        else
            append(keep, {"-map", "0:t?"});
        if (is_mp4(job.output))
            for (std::size_t i = 0; i < job.source.covers.size(); i++) {
                const std::string number = std::to_string(i + 1);
                append(keep, {"-map", "0:v:" + std::to_string(job.source.covers[i])});
                command.insert(command.end() - 1,
                               {"-c:v:" + number, "copy", "-disposition:v:" + number, "attached_pic"});
            }
        if (const auto filter = std::ranges::find(command, "-vf"); filter != command.end())
            *filter = "-filter:v:0";                         // copied streams cannot be filtered
        const auto map = std::ranges::find(command, "-map"); // the video stays first
        command.insert(map + 2, keep.begin(), keep.end());
    }
    if (pass == 1) return command;
    // FFmpeg's mp4 muxer drops covers if it may write arbitrary tags.
    const bool has_covers = is_mp4(job.output) && others && !job.source.covers.empty();
    Arguments more = {"-metadata",
                      std::string(has_covers ? "comment=" : "") + "VMAF_TUNE_ARGS=" + setup.encode.adapter->name + " " +
                          setup.encode.adapter->knob + "=" + number_text(job.q) + " preset=" + setup.encode.preset};
    if (is_mp4(job.output)) append(more, {"-movflags", has_covers ? "+faststart" : "+faststart+use_metadata_tags"});
    if (fs::path(job.output).extension() == ".mkv") append(more, {"-cues_to_front", "1"});
    command.insert(command.end() - 1, more.begin(), more.end());
    return command;
}

// Decodes everything and compares the length (5.5).
void verify_file(const EncodeRequest &o, const FileJob &job, const Source &produced) {
    const ChildResult outcome =
        run_child({job.setup.programs.ffmpeg, "-hide_banner", "-nostdin", "-v", "error", "-xerror", "-i",
                   ffmpeg_path(job.temporary), "-map", "0:v", "-f", "null", "-"});
    if (!outcome.ok())
        throw CommandError(kExitFailed,
                           explain_failure("decoding the finished file", outcome.code, outcome.error_tail));
    if (o.vfilter.empty() && job.source.duration > 0 && produced.duration > 0 &&
        std::fabs(produced.duration - job.source.duration) > kLengthSlack)
        throw CommandError(kExitFailed, "the finished file lasts " + number_text(produced.duration) +
                                            " s, the source " + number_text(job.source.duration) +
                                            " s; is the source damaged?");
}

// The end of the last pass, and the total of all passes.
struct PassesDone {
    ChildResult last;
    std::int64_t frames = 0; // as counted by FFmpeg
    double seconds = 0;
};

PassesDone run_passes(Run &run, const EncodeRequest &o, const FileJob &job, json &result) {
    PassesDone done;
    const bool two = job.setup.encode.two_pass;
    for (int pass = two ? 1 : 0; pass <= (two ? 2 : 0); pass++) {
        const Arguments command = final_command(o, job, pass);
        result["argv"] = command;
        StageProgress p{Stage::encode, job.q, 0, 1, 0, job.source.frame_count(), 0};
        done.last = run_pass(command, job.setup.encode, [&](std::int64_t frame, double fps) {
            p.frame = frame;
            p.fps = fps;
            run.progress().stage(job.setup.encode.adapter->name, p);
        });
        done.frames = p.frame;
        done.seconds += done.last.seconds;
        run.check_interrupted();
        const std::string prefix = two ? "[pass " + std::to_string(pass) + "] " : "";
        if (done.last.timed_out)
            throw CommandError(kExitFailed, prefix + "the encoder made no progress for the time that --timeout allows");
        demand_success(done.last, prefix + "the encoder", job.output);
        if (const std::string unused = unused_option(job.setup.encode, done.last.error_tail); !unused.empty())
            throw CommandError(kExitFailed, unused);
    }
    return done;
}

void finish(Run &run, const EncodeRequest &o, const FileJob &job, const NewFile &file, json &result,
            std::string &scored_line) {
    const PassesDone done = run_passes(run, o, job, result);
    FrameWish wish = frames_wished(job.source, {}, job.setup.encode.vfilter);
    wish.given = done.frames;
    const PacketSummary packets = demand_whole(job.setup.programs, done.last, job.temporary, wish, job.output);
    demand_unchanged(job.source);
    const Source produced = probe_own_encode(job.setup.programs.ffprobe, job.temporary);
    if (o.verify) verify_file(o, job, produced);
    result["q"] = job.setup.encode.bitrate_kbps ? json(nullptr) : json(job.q);
    result["encode_time_ms"] = done.seconds * 1000;
    result["encode_size_bytes"] = packets.bytes;
    result["encode_file_bytes"] = produced.file_bytes;
    result["encoded_frames"] = packets.packets;
    result["bitrate_kbps"] = job.source.duration > 0 ? double(packets.bytes) * 8 / 1000 / job.source.duration : 0;
    result["verified"] = o.verify;
    if (o.verify_score) {
        const ScoreResult scored =
            run_score(job.setup.programs, {&job.source, {}, &produced, {}, packets.packets}, job.setup.score);
        if (!scored.ok())
            throw CommandError(scored.outcome.exit_code(),
                               "the finished file cannot be scored: " + scored.outcome.sentence);
        const MetricChoice &metric = job.setup.score.metrics.front();
        result["score"] = pooled_metric(metric.name, scored.series.at(metric.series), o.pool);
        result["metric"] = o.metric;
        result["pool"] = o.pool;
        result["score_backend"] = scored.backend_used;
        result["conditions"] = {{"metrics", measured_json(scored.measured)}};
        scored_line =
            "scored: " + measured_text(scored.measured, {job.source.width, job.source.height}, job.setup.score.scaler) +
            "; the whole source (" + counted(scored.frames, "frame") + ")" + decoded_text(scored.decoded_by);
    }
    file.keep(o.overwrite || o.overwrite_input);
    result["output"] = job.output;
}

void check_output(const EncodeRequest &o, const FileJob &job) {
    if (job.output == "-") throw usage_error("encode writes a file, not to standard output; give another --output");
    std::error_code error;
    check_folder(job.output);
    if (!fs::exists(job.output, error)) return check_result(o, job.output);
    if (fs::equivalent(job.output, job.source.path, error)) {
        if (!o.overwrite_input)
            throw usage_error("the output is the source itself; give another --output, or --overwrite-input");
    } else if (!o.overwrite) {
        throw CommandError(kExitOutput, "'" + job.output + "' exists; use --overwrite or another --output");
    }
}

// The source's quality value: given, or found by a search.
void settle_quality(Run &run, const EncodeRequest &o, FileJob &job, json &result) {
    const Adapter &adapter = *job.setup.encode.adapter;
    job.q = o.q_values.empty() ? adapter.default_q : o.q_values[0];
    if (!o.q_values.empty() || job.setup.encode.bitrate_kbps) return;
    const std::vector<QualityTarget> targets = quality_targets(o, o, metric_choice(o.metric)->default_target);
    if (o.dry_run) {
        const QualityGrid grid(adapter, o, adapter.step);
        run.progress().say("the first probe of the search, then the encode with what it finds:");
        print_probe_commands(job.setup, grid.q(grid.last() / 2));
        return;
    }
    QualitySearch search(run, o, job.setup, targets, adapter.step);
    const SearchReport report = search.find(targets);
    if (report.failed())
        throw CommandError(report.outcome.exit_code(), "the search failed: " + report.outcome.sentence);
    if (!report.ok() && !o.best_effort) throw CommandError(kExitUnmet, "no suitable quality: " + report.reason);
    job.q = *report.q;
    result["search"] = search_json(job.setup, report, targets);
    run.progress().say(search_line(job.setup, report, targets.front()));
    run.progress().say(report.scored);
}

// Checks before the search that the container can hold the copied streams: some encoders hang if the header cannot be
// written.
void try_container(Run &run, const EncodeRequest &o, const FileJob &job) {
    FileJob trial = job;
    trial.temporary = run.work_folder() + "/trial" + fs::path(job.output).extension().string();
    trial.setup.encode.two_pass = false;
    Arguments command = final_command(o, trial, 0);
    const auto codec = std::ranges::find(command, "-c:v");
    command.insert(codec, {"-frames:v", "1", "-t", "0.2"});
    RunOptions options;
    options.timeout = std::chrono::seconds(20);
    options.progress_marker = work_done;
    const ChildResult outcome = run_child(command, options);
    std::error_code ignored;
    fs::remove(trial.temporary, ignored);
    run.check_interrupted();
    const std::string &said = outcome.error_tail;
    const bool is_refused = said.find("Could not write header") != std::string::npos ||
                            said.find("not currently supported in container") != std::string::npos;
    if (said.find("Unable to find a suitable output format") != std::string::npos ||
        said.find("Unable to choose an output format") != std::string::npos)
        throw usage_error("'" + job.output + "': no container has the extension '" +
                          fs::path(job.output).extension().string() + "'; use .mkv, .mp4, .mov or .webm");
    if (!is_refused) return; // other failures are reported by the encode itself
    std::string reason = "it refuses a stream";
    for (const char *sign : {"are supported for", "Could not find tag for codec",
                             "not currently supported in container", "support is experimental"})
        if (const std::size_t at = said.find(sign); at != std::string::npos) {
            const std::size_t start = said.rfind('\n', at) + 1;
            reason = said.substr(start, said.find('\n', at) - start);
            if (reason.starts_with("[")) reason.erase(0, std::min(reason.find("] ") + 2, reason.size()));
            while (reason.ends_with(".")) reason.pop_back();
            break;
        }
    throw usage_error("'" + job.output + "' cannot hold the streams of '" + job.source.path + "': " + reason +
                      "; use an .mkv output, another sound codec (--audio-codec libopus), or --video-only");
}

void encode_one(Run &run, const EncodeRequest &o, const std::string &path, const std::string &output) {
    FileJob job;
    job.source = run.open_source(path);
    const Adapter &adapter = run.only_adapter();
    job.setup = run.setup(job.source, adapter, run.only_preset(),
                          o.q_values.empty()); // without a search there is nothing to sample
    if (o.bitrate) job.setup.encode.bitrate_kbps = o.bitrate;
    job.output = output.empty() ? output_name(job.source, adapter) : output;
    check_output(o, job);
    std::optional<NewFile> file;
    if (o.dry_run) { // displayed commands are the result
        job.temporary = job.output + ".part" + fs::path(job.output).extension().string();
        job.stats = job.temporary + ".stats";
    } else {
        job.temporary = file.emplace(job.output).path();
        job.stats = run.work_folder() + "/passes";
    }
    json result = {{"type", "encode-result"}, {"src", job.source.path},
                   {"encoder", adapter.name}, {"preset", job.setup.encode.preset},
                   {"q_knob", adapter.knob},  {"format_changes", job.setup.format_changes}};
    if (!o.dry_run) {
        try_container(run, o, job);
        const std::string lost = o.video_only ? "" : lost_streams(job.source, is_mp4(job.output), true);
        if (!lost.empty()) run.progress().warn("'" + job.output + "' will not have " + lost);
    }
    settle_quality(run, o, job, result);
    if (o.dry_run) {
        const bool two = job.setup.encode.two_pass;
        for (int pass = two ? 1 : 0; pass <= (two ? 2 : 0); pass++)
            print_line(shell_quoted(final_command(o, job, pass)));
        return;
    }
    std::string scored_line;
    finish(run, o, job, *file, result, scored_line);
    if (o.json)
        print_line(json_line(result));
    else
        print_line(
            job.output + ":" + (job.setup.encode.bitrate_kbps ? "" : " " + adapter.knob + "=" + number_text(job.q)) +
            " kbps=" + number_text(std::round(result["bitrate_kbps"].get<double>() * 10) / 10) +
            (result.contains("score") ? " " + o.metric + "=" + fixed_text(result["score"].get<double>(), 4) : ""));
    if (!o.json && !scored_line.empty()) print_line(scored_line);
}

CommandFiles files_of(const EncodeRequest &o) {
    CommandFiles files = files_of(static_cast<const ProbeRequest &>(o));
    if (o.overwrite_input) std::erase_if(files.inputs, [](const auto &input) { return input.is_source; });
    return files;
}

int run_encode(const EncodeRequest &given) {
    EncodeRequest o = given;
    read_source_list(o);
    check_files(files_of(o));
    take_metric_of_targets(o, o);
    if (o.sources.empty()) throw usage_error("give a source with -i, or --source-list");
    if (o.sources.size() > 1 && !o.output.empty())
        throw usage_error("several sources cannot have one --output; name outputs in the list's second column");
    if (o.q_values.size() > 1) throw usage_error("encode takes one --crf");
    if (!o.q_values.empty() && o.bitrate) throw usage_error("--bitrate and --crf exclude each other");
    if (o.two_pass && o.q_values.empty() && !o.bitrate)
        throw usage_error("--two-pass needs --bitrate KBPS, or --crf with encoders that allow it");
    o.outputs.resize(o.sources.size());
    if (!o.output.empty()) o.outputs[0] = o.output;
    Run run(o, true);
    ExitCode worst = kExitOk;
    for (std::size_t i = 0; i < o.sources.size(); i++) {
        try {
            run.check_interrupted();
            encode_one(run, o, o.sources[i], o.outputs[i]);
        } catch (const CommandError &e) { // other files of a list continue
            if (o.sources.size() == 1 || e.code() == kExitInterrupted) throw;
            Progress::make_way();
            complain("encode", o.sources[i] + ": " + e.what());
            worst = worse(worst, e.code());
        }
    }
    return worst;
}

void bind_encode_command(CLI::App &app, EncodeRequest &o) {
    bind_encoding_command(app, o, {});
    bind_search(app, o);
    add_option(app, "--crf", o.q_values, "quality value (also --q); without it, search first");
    bind_source_list(app, o);
    {
        const InGroup group(app, "Finished file");
        add_option(app, "--audio-codec", o.audio_codec,
                   "encode sound with this codec, such as libopus (default: copy)");
        app.add_flag("--video-only", o.video_only, "leave out sound, subtitles and attachments");
        app.add_flag("--verify", o.verify, "decode the finished file and compare its length");
        app.add_flag("--verify-score", o.verify_score, "score the finished file");
        app.add_flag("--fail-fast", o.fail_fast, "stop at the first damaged packet (-xerror)");
        app.add_flag("--overwrite-input", o.overwrite_input, "allow the output to replace the source");
    }
    bind_older_flags(app, o, &o);
}

} // namespace

void add_encode(Commands &commands) {
    commands.add<EncodeRequest>({"encode",
                                 "search, then encode the whole file",
                                 {"auto-encode"},
                                 "  vmaf-tune encode -i film.mkv -e libx264 --target-vmaf 93 -o out.mkv\n"
                                 "  vmaf-tune encode -i film.mkv -e libsvtav1 --preset slow --target-vmaf 95\n"
                                 "  vmaf-tune encode -i film.mkv --crf 21 --verify-score -o out.mp4"},
                                bind_encode_command, run_encode);
}

} // namespace vmaf::tune
