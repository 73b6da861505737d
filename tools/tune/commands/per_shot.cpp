// `per-shot`: a quality value for each shot, so that quality stays constant over time (tune.md 12.7).
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.hpp"
#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "commands/commands.hpp"
#include "commands/job_state.hpp"
#include "commands/on_cluster.hpp"
#include "commands/per_shot_run.hpp"
#include "commands/search_hints.hpp"
#include "commands/search_result.hpp"
#include "system/filesystem.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

struct PerShotRequest : ClusterRequest, SearchOptions {
    std::string plan_out, script_out, segment_dir, shots, probe_preset, floor, zones, per_shot_bin;
    std::optional<double> diff_threshold; // cuts by plain differences
    int min_shot = 24, probe_rate = 1;
    std::string max_shot = "10s";
    double max_q_step = 8;
    bool run = false;
};

std::vector<Shot> find_shots(Run &run, const PerShotRequest &own, const Source &source) {
    const double fps = source.rate.value();
    const ShotSettings settings{own.diff_threshold, own.min_shot,
                                static_cast<std::int64_t>(std::lround(parse_duration(own.max_shot) * fps))};
    std::vector<Shot> shots;
    try {
        shots = !own.shots.empty()          ? read_shots(own.shots)
                : !own.per_shot_bin.empty() ? shots_from_program(own.per_shot_bin, source)
                                            : detect_shots(run.programs(), source, settings);
    } catch (const Error &e) {
        throw usage_error(e.what());
    }
    if (shots.empty()) {
        run.progress().warn("shots could not be detected; the source is treated as one");
        shots = {{0, std::max<std::int64_t>(1, source.frame_count())}};
    }
    return shots;
}

// No frame may be lost or encoded twice by what another detector says.
void cover_everything(Run &run, std::vector<Shot> &shots, std::int64_t frames) {
    std::int64_t next = 0;
    for (const Shot &shot : shots) {
        if (shot.start != next || shot.end <= shot.start)
            throw usage_error("the shots do not follow each other: one begins at frame " + std::to_string(shot.start) +
                              " where " + std::to_string(next) + " is next");
        next = shot.end;
    }
    if (next > frames)
        throw usage_error("the shots end at frame " + std::to_string(next - 1) + ", but the source has only " +
                          std::to_string(frames) + " frames");
    if (next == frames) return;
    run.progress().warn("the shots end at frame " + std::to_string(next - 1) + " of " + std::to_string(frames) +
                        "; the last one goes on to the end");
    shots.back().end = frames;
}

std::vector<Zone> read_zones(const PerShotRequest &own, const Adapter &adapter, std::int64_t frames) {
    if (own.zones.empty()) return {};
    fs::ifstream file(own.zones);
    if (!file) throw usage_error("'" + own.zones + "' cannot be read");
    try {
        std::vector<Zone> zones = parse_zones(std::string((std::istreambuf_iterator<char>(file)), {}), frames);
        for (const Zone &zone : zones)
            if (!zone.encoder.empty() && zone.encoder != adapter.name)
                throw usage_error("'" + own.zones + "' asks for " + zone.encoder +
                                  ": shots of different encoders cannot " + "be joined; this one uses " + adapter.name);
        return zones;
    } catch (const Error &e) {
        throw usage_error("'" + own.zones + "': " + e.what());
    }
}

// A source with what is done to its shots.
struct ShotWork {
    Run &run;
    const PerShotRequest &own;
    Source source;
    const Adapter &adapter;
    std::vector<Zone> zones;
    std::vector<QualityTarget> targets;
    std::vector<double> times; // of all frames

    const Zone *zone_of(const PlannedShot &planned) const { return planned.zone ? &zones[*planned.zone] : nullptr; }

    std::string preset_of(const PlannedShot &planned) const {
        const Zone *zone = zone_of(planned);
        if (zone && !zone->preset.empty()) return zone->preset;
        return run.only_preset();
    }

    // A segment alone does not know how long its last frame is shown.
    double seconds_until_next(const Shot &shot) const {
        return static_cast<std::size_t>(shot.end) < times.size() ? seconds_of(shot, source, times) : 0;
    }

    ProbeSetup probe_setup(const PlannedShot &planned) const {
        const std::string preset = own.probe_preset.empty() ? preset_of(planned) : own.probe_preset;
        ProbeSetup setup = shot_setup(run.setup(source, adapter, preset, false), planned.shot, times);
        if (own.probe_rate > 1) { // every n-th frame of the shot, on both sides
            const std::string select = "select=not(mod(n\\," + std::to_string(own.probe_rate) + "))";
            for (std::string *filter : {&setup.encode.vfilter, &setup.score.reference_filter})
                *filter = filter->empty() ? select : select + "," + *filter;
            Window &window = setup.samples.front().window;
            window.frames = (window.frames + own.probe_rate - 1) / own.probe_rate;
        }
        return setup;
    }

    std::vector<QualityTarget> targets_of(const PlannedShot &planned) const {
        std::vector<QualityTarget> own = targets;
        if (const Zone *zone = zone_of(planned); zone && zone->target) own.front().value = *zone->target;
        return own;
    }

    void search(PlannedShot &planned, std::optional<double> hint, JobState &state) const;
    void measure(PlannedShot &planned) const; // at its q
};

void ShotWork::measure(PlannedShot &planned) const {
    const ProbeSetup setup = probe_setup(planned);
    const ProbeResult probe = run_probe(setup, planned.q);
    run.check_interrupted();
    planned.probes++;
    if (!probe.ok()) {
        planned.error = probe.error;
        planned.is_measured = false;
        return;
    }
    const QualityTarget target = targets_of(planned).front();
    planned.score = probe_score(setup, probe, target.metric, target.pool);
    planned.kbps = probe.bitrate_kbps();
}

void ShotWork::search(PlannedShot &planned, std::optional<double> hint, JobState &state) const {
    if (const Zone *zone = zone_of(planned); zone && zone->q) {
        planned.q = *zone->q;
        measure(planned);
        return;
    }
    const ProbeSetup setup = probe_setup(planned);
    const std::vector<QualityTarget> own = targets_of(planned);
    const std::string key = search_identity(setup, this->own, own);
    if (const auto known = state.find(key)) {
        planned.q = known->value("q", 0.0);
        planned.score = known->value("score", 0.0);
        planned.kbps = known->value("kbps", 0.0);
        planned.probes = known->value("probes", std::size_t(0));
        planned.is_met = known->value("met", true);
        return;
    }
    QualitySearch search(run, this->own, setup, own, adapter.step);
    const SearchReport report = search.find(own, hint);
    planned.probes = report.probes.size();
    planned.is_met = report.ok();
    planned.q = report.q.value_or(hint.value_or(adapter.default_q));
    if (report.failed) { // the other shots go on
        planned.error = report.error;
        planned.failure_status = report.failure_status;
        planned.is_measured = false;
        return;
    }
    planned.score = report.score;
    planned.kbps = report.bitrate_kbps;
    run.progress().remark(report.scored);
    state.store(key, {{"q", planned.q},
                      {"score", planned.score},
                      {"kbps", planned.kbps},
                      {"probes", planned.probes},
                      {"met", planned.is_met}});
}

json shots_json(const std::vector<PlannedShot> &shots) {
    json list = json::array();
    for (const PlannedShot &p : shots) {
        json shot = {{"start_frame", p.shot.start}, {"end_frame", p.shot.end}, {"crf", p.q},
                     {"predicted_vmaf", p.score},   {"bitrate_kbps", p.kbps},  {"probes", p.probes},
                     {"measured", p.is_measured},   {"met", p.is_met},         {"smoothed", p.is_smoothed}};
        if (!p.error.empty()) shot["error"] = p.error;
        list.push_back(shot);
    }
    return list;
}

json totals_json(const std::vector<PlannedShot> &shots) {
    double bits = 0, seconds = 0;
    std::size_t probes = 0;
    for (const PlannedShot &p : shots) {
        bits += p.kbps * 1000 * p.seconds;
        seconds += p.seconds;
        probes += p.probes;
    }
    return {{"frames", shots.back().shot.end},
            {"duration_s", seconds},
            {"bitrate_kbps", seconds > 0 ? bits / 1000 / seconds : 0},
            {"predicted_size_bytes", std::round(bits / 8)},
            {"probes", probes}};
}

// Neighbours that are too far apart move together; what moved is measured again.
void smooth(const ShotWork &work, std::vector<PlannedShot> &shots) {
    std::vector<double> q;
    std::vector<bool> is_fixed;
    for (const PlannedShot &p : shots) {
        q.push_back(p.q);
        const Zone *zone = work.zone_of(p);
        is_fixed.push_back(zone && zone->q);
    }
    const std::vector<double> smooth_q = smoothed(q, is_fixed, work.own.max_q_step, work.adapter.higher_is_better);
    for (std::size_t i = 0; i < shots.size(); i++) {
        if (smooth_q[i] == q[i]) continue;
        shots[i].q = smooth_q[i];
        shots[i].is_smoothed = true;
        if (shots[i].error.empty()) work.measure(shots[i]);
    }
}

// Whether shots were found by ourselves, and nobody wishes them to be treated apart.
bool are_our_shots(const PerShotRequest &own) {
    return own.shots.empty() && own.per_shot_bin.empty() && own.zones.empty() && own.floor.empty();
}

// What machines share: each shot, and the whole where that may be the answer.
void tell_parts(const PerShotRequest &own, const std::vector<Shot> &found, std::size_t shots) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < shots; i++) parts.push_back("shot " + std::to_string(i));
    if (are_our_shots(own) && shots > 1) parts.push_back("whole");
    std::vector<std::pair<std::int64_t, std::int64_t>> ends;
    for (const Shot &shot : found) ends.emplace_back(shot.start, shot.end);
    if (own.cluster.on_shots) own.cluster.on_shots(ends);
    own.cluster.on_parts({parts});
}

int search_part(const ShotWork &work, const std::vector<PlannedShot> &shots, std::int64_t frames, JobState &state) {
    const std::string &part = work.own.cluster.part;
    PlannedShot planned;
    planned.shot = {0, frames};
    if (part != "whole") planned = shots.at(std::strtoull(part.c_str() + part.find(' '), nullptr, 10));
    work.search(planned, std::nullopt, state);
    if (!planned.error.empty()) throw CommandError(exit_code_of_status(planned.failure_status), planned.error);
    return kExitOk;
}

// Shots that were found by ourselves must pay: where one quality value for everything meets the targets with less, by
// more than one percent, it is taken.
void prefer_one_search(ShotWork &work, std::vector<PlannedShot> &shots, std::int64_t frames, JobState &state) {
    const bool are_ours = are_our_shots(work.own);
    const auto bits = [](const std::vector<PlannedShot> &list) {
        double sum = 0;
        for (const PlannedShot &p : list) sum += p.kbps * p.seconds;
        return sum;
    };
    if (!are_ours || shots.size() < 2) return;
    for (const PlannedShot &p : shots)
        if (!p.error.empty() || !p.is_met) return;
    std::vector<PlannedShot> whole(1);
    whole[0].shot = {0, frames};
    whole[0].seconds = seconds_of(whole[0].shot, work.source, work.times);
    work.search(whole[0], shots.front().q, state);
    if (!whole[0].error.empty() || !whole[0].is_met || bits(shots) <= 1.01 * bits(whole)) return;
    work.run.progress().say("one value for all shots needs " + fixed_text(100 * (1 - bits(whole) / bits(shots)), 1) +
                            " % less and meets the target on the whole; it is used (--shots keeps shots apart)");
    shots = whole;
}

int run_per_shot(const PerShotRequest &given) {
    PerShotRequest o = given;
    take_metric_of_targets(o, o);
    if (!o.cluster.part.empty()) { // it only measures
        o.plan_out.clear();
        o.script_out.clear();
        o.run = false;
    }
    Run run(o, true);
    std::vector<QualityTarget> targets = quality_targets(o, o, 92);
    if (!o.floor.empty()) targets.push_back(parse_target(o.metric + ":" + o.floor, o.pool));
    const Source source = run.open_source(o.sources.at(0));
    const Adapter &adapter = run.only_adapter();
    if (source.rate.value() <= 0) throw usage_error("the frame rate is not known; give --framerate");
    const std::string output = o.output.empty() ? "per_shot_encode.mp4" : o.output;
    std::error_code error;
    if (o.run && fs::exists(output, error) && !o.overwrite)
        throw CommandError(kExitOutput, "'" + output + "' exists; use --overwrite or another --output");
    check_result(o, o.plan_out);
    check_result(o, o.script_out);
    if (o.run) check_folder(o.output.empty() ? "per_shot_encode.mp4" : o.output);
    const ProbeSetup base = run.setup(source, adapter, run.only_preset(), false);
    if (o.dry_run) {
        run.progress().say("after shots are found, each is searched on its own with probes like this:");
        print_probe_commands(base, adapter.default_q);
        return kExitOk;
    }
    std::vector<Shot> found;
    for (const auto &[start, end] : o.cluster.shots) found.push_back({start, end});
    if (found.empty()) found = find_shots(run, o, source);
    std::vector<double> times = frame_times(run.programs().ffprobe, source);
    if (o.cluster.shots.empty() && (!o.shots.empty() || !o.per_shot_bin.empty()) && !times.empty())
        cover_everything(run, found, static_cast<std::int64_t>(times.size()));
    ShotWork work{run, o, source, adapter, read_zones(o, adapter, found.back().end), targets, std::move(times)};
    std::vector<PlannedShot> shots = cut_at_zones(found, work.zones);
    for (PlannedShot &planned : shots) planned.seconds = seconds_of(planned.shot, source, work.times);
    run.progress().say(std::to_string(shots.size()) + (shots.size() == 1 ? " shot" : " shots"));

    JobState state(run, "per-shot", source.id);
    if (o.cluster.on_parts) {
        tell_parts(o, found, shots.size());
        return kExitOk;
    }
    if (!o.cluster.part.empty()) return search_part(work, shots, found.back().end, state);
    std::optional<double> hint;
    for (PlannedShot &planned : shots) {
        run.check_interrupted();
        work.search(planned, hint, state);
        if (planned.error.empty()) hint = planned.q;
    }
    smooth(work, shots);
    prefer_one_search(work, shots, found.back().end, state);

    const std::string folder =
        o.segment_dir.empty() ? (fs::absolute(output).parent_path() / "segments").string() : o.segment_dir;
    std::vector<ShotSegment> segments;
    for (std::size_t i = 0; i < shots.size(); i++) {
        char name[48];
        std::snprintf(name, sizeof name, "segment_%05zu.mkv", i);
        const ProbeSetup setup = run.setup(source, adapter, work.preset_of(shots[i]), false);
        const std::string path = (fs::path(folder) / name).string();
        segments.push_back({path,
                            encode_command(setup.programs, source, window_of(shots[i].shot, source, work.times),
                                           setup.encode, shots[i].q, 0, "", path),
                            shots[i].shot.frames(), work.seconds_until_next(shots[i].shot)});
    }
    const ShotAssembly assembly = assemble(base, segments, folder, output, work.times.empty() ? 0 : work.times.front());
    json plan = {{"src", source.path},
                 {"encoder", adapter.name},
                 {"preset", base.encode.preset},
                 {"framerate", source.rate.value()},
                 {"predicate", search_word(o.search)},
                 {"target_vmaf", targets.front().value},
                 {"shots", shots_json(shots)},
                 {"totals", totals_json(shots)},
                 {"segment_commands", json::array()},
                 {"concat_command", assembly.concat_command}};
    if (!o.probe_preset.empty()) plan["probe_preset"] = o.probe_preset;
    for (const ShotSegment &segment : segments) plan["segment_commands"].push_back(segment.command);
    if (!o.script_out.empty()) write_result(o, o.script_out, assembly_script(assembly, folder));
    const bool failed = std::any_of(shots.begin(), shots.end(), [](const PlannedShot &p) { return !p.error.empty(); });
    if (const std::string lost = lost_streams(source, false, false); !lost.empty() && o.run)
        run.progress().warn("'" + output + "' will not have " + lost);
    if (o.run && !failed) {
        run_assembly(run, base, assembly, folder);
        score_assembly(run, base, assembly, shots, plan);
    }
    const std::string text = plan.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    write_result(o, o.plan_out, text);
    for (const PlannedShot &p : shots) {
        const std::string range = "shot " + std::to_string(p.shot.start) + " to " + std::to_string(p.shot.end);
        if (!p.error.empty()) run.progress().say("vmaf-tune per-shot: " + range + " failed: " + p.error);
        if (p.error.empty() && !p.is_met)
            run.progress().say("vmaf-tune per-shot: " + range + " misses the target: " + fixed_text(p.score, 4));
    }
    int exit_code = kExitOk;
    for (const PlannedShot &p : shots)
        if (!p.error.empty()) exit_code = std::max(exit_code, exit_code_of_status(p.failure_status));
    if (failed) return exit_code;
    state.finish();
    return std::all_of(shots.begin(), shots.end(), [](const PlannedShot &p) { return p.is_met; }) ? kExitOk
                                                                                                  : kExitUnmet;
}

void bind_per_shot(CLI::App &app, PerShotRequest &o) {
    bind_encoding_command(app, o, {.samples = false});
    bind_search(app, o);
    add_option(app, "--shots", o.shots, "read shots from this file (JSON or CSV)");
    add_option(app, "--diff-threshold", o.diff_threshold,
               "cut where luma changes by this much between frames, instead of using the detector");
    add_option(app, "--min-shot", o.min_shot, "shortest shot in frames")->check(CLI::Range(1, 100000));
    add_option(app, "--max-shot", o.max_shot, "split longer shots (0: never)");
    add_option(app, "--segment-dir", o.segment_dir, "folder for segments");
    add_option(app, "--plan-out", o.plan_out, "write the plan as JSON");
    add_option(app, "--script-out", o.script_out, "write a shell script that encodes the plan");
    app.add_flag("--run", o.run, "encode, join and score now");
    add_option(app, "--per-shot-bin", o.per_shot_bin, "external shot detector");
    add_option(app, "--probe-preset", o.probe_preset, "faster preset for probes");
    add_option(app, "--probe-rate", o.probe_rate, "probe every Nth frame only")->check(CLI::Range(1, 4));
    add_option(app, "--max-q-step", o.max_q_step, "largest difference between neighbouring shots")
        ->check(CLI::PositiveNumber);
    add_option(app, "--floor", o.floor, "lower bound for bad frames, POOL>=VALUE, such as percentile=5>=85");
    add_option(app, "--zones", o.zones, "file with settings for parts of the source: `start end key=value...`");
    bind_older_flags(app, o, &o);
    bind_cluster(app, o.cluster);
}

CommandFiles files_of(const PerShotRequest &o) {
    CommandFiles files = files_of(static_cast<const ProbeRequest &>(o));
    files.inputs.insert(files.inputs.end(), {{"the shots", o.shots}, {"the zones", o.zones}});
    files.outputs.insert(files.outputs.end(), {o.plan_out, o.script_out});
    return files;
}

int run_per_shot_anywhere(const PerShotRequest &o) { return run_anywhere(o, "per-shot", run_per_shot); }

} // namespace

void add_per_shot(Commands &commands) {
    commands.add<PerShotRequest>({"per-shot",
                                  "a quality value for each shot",
                                  {"tune-per-shot"},
                                  "  vmaf-tune per-shot -i film.mkv --target-vmaf 93 --plan-out plan.json\n"
                                  "  vmaf-tune per-shot -i film.mkv --target-vmaf 93 --script-out encode.sh\n"
                                  "  vmaf-tune per-shot -i film.mkv --target-vmaf 93 --run -o out.mkv"},
                                 bind_per_shot, run_per_shot_anywhere);
}

} // namespace vmaf::tune
