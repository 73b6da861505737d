// `per-shot`: a quality value per shot, for constant quality over time (tune.md 12.7).
//
// Its units, by phases: the search of each shot, guided by its neighbour's answer; shots that move towards their
// neighbours; the whole, if one value may suffice; with --run the segments, and joining them.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "cli/new_file.hpp"
#include "commands/commands.hpp"
#include "commands/job_state.hpp"
#include "commands/per_shot_run.hpp"
#include "commands/search_hints.hpp"
#include "commands/search_result.hpp"
#include "system/filesystem.hpp"
#include "system/output_file.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

struct PerShotRequest : ProbeRequest, SearchOptions, ClusterOptions {
    std::string plan_out, script_out, segment_dir, shots, probe_preset, floor, zones, per_shot_bin;
    std::optional<double> diff_threshold; // detects cuts by plain differences
    int min_shot = 24, probe_rate = 1;
    std::string max_shot = "10s";
    double max_q_step = 8;
    bool run = false;
    bool keeps_segments = false; // derived
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

// An external detector's list must not lose or repeat frames.
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

PerShotRequest checked(PerShotRequest o) {
    take_metric_of_targets(o, o);
    if (o.output.empty()) o.output = "per_shot_encode.mp4";
    o.keeps_segments = o.keep || !o.segment_dir.empty();
    if (o.segment_dir.empty()) o.segment_dir = fs::absolute(o.output).string() + ".segments"; // no other run's
    return o;
}

std::vector<QualityTarget> shot_targets(const PerShotRequest &o) {
    std::vector<QualityTarget> targets = quality_targets(o, o, 92);
    if (!o.floor.empty()) targets.push_back(parse_target(o.metric + ":" + o.floor, o.pool));
    return targets;
}

Source with_rate(Source source) {
    if (source.rate.value() <= 0) throw usage_error("the frame rate is not known; give --framerate");
    return source;
}

bool is_any(const std::vector<PlannedShot> &shots, bool (*is_so)(const PlannedShot &)) {
    return std::ranges::any_of(shots, is_so);
}
bool has_failed(const PlannedShot &p) { return !p.outcome.ok(); }
bool has_missed(const PlannedShot &p) { return !p.is_met; }

// Whether we detected the shots, and the user did not ask to keep them separate.
bool are_our_shots(const PerShotRequest &o) {
    return o.shots.empty() && o.per_shot_bin.empty() && o.zones.empty() && o.floor.empty();
}

PlannedShot planned_of(const UnitRows &unit) {
    PlannedShot planned;
    planned.shot = {unit.unit().at("start"), unit.unit().at("end")};
    planned.seconds = unit.unit().at("seconds");
    take_row(planned, unit.rows.at(0));
    return planned;
}

class PerShotJob : public Job {
  public:
    explicit PerShotJob(const PerShotRequest &o)
        : Job(checked(o)), o_(checked(o)), targets_(shot_targets(o_)),
          source_(with_rate(run_.open_source(o.sources.at(0)))), adapter_(run_.only_adapter()),
          base_(run_.setup(source_, adapter_, run_.only_preset(), false)), state_(run_, "per-shot", source_.id) {}

    void check_outputs() override {
        std::error_code error;
        if (o_.run && fs::exists(o_.output, error) && !o_.overwrite)
            throw CommandError(kExitOutput, "'" + o_.output + "' exists; use --overwrite or another --output");
        check_result(o_, o_.plan_out);
        check_result(o_, o_.script_out);
        if (o_.run) check_folder(o_.output);
    }

    void print_commands() override {
        run_.progress().say("after shots are found, each is searched on its own with probes like this:");
        print_probe_commands(base_, adapter_.default_q);
    }

    // Further units of a step, if any.
    std::vector<json> next(const JobRows &so_far) override {
        if (so_far.empty()) return shot_units();
        const std::string step = so_far.back().unit().at("step");
        std::vector<json> units;
        if (step == "shot") {
            const std::vector<const UnitRows *> before = of_step(so_far, "shot");
            const std::vector<PlannedShot> shots = searched(so_far);
            for (std::size_t i = 0; i < shots.size(); i++)
                if (shots[i].is_smoothed && shots[i].outcome.ok()) {
                    units.push_back(before[i]->unit());
                    units.back().update({{"step", "move"}, {"shot", i}, {"q", shots[i].q}});
                }
            if (!units.empty()) return units;
        }
        if (step == "shot" || step == "move") {
            const std::vector<PlannedShot> shots = searched(so_far);
            const Shot all{0, shots.back().shot.end};
            if (are_our_shots(o_) && shots.size() > 1 && !is_any(shots, has_failed) && !is_any(shots, has_missed))
                return {json::object({{"step", "whole"},
                                      {"start", all.start},
                                      {"end", all.end},
                                      {"seconds", seconds_of(all, source_, times())},
                                      {"hint", shots.front().q}})};
        }
        if (step == "segment") return {json::object({{"step", "join"}})};
        return step == "join" ? units : segment_units(so_far);
    }

    std::vector<json> run(const json &unit, const JobRows &so_far) override {
        const std::string step = unit.at("step");
        if (step == "move") return {measure(unit, unit.at("q"))};
        if (step == "whole") return search(unit, unit.at("hint").get<double>());
        if (step == "join") return {join(so_far)};
        if (step == "segment") {
            const ShotAssembly all = assembly(answered(so_far));
            make_segment(all.segments.at(unit.at("shot")), all.segments.size());
            return {};
        }
        std::optional<double> hint; // the neighbour's answer, if on this machine
        for (const UnitRows *before : of_step(so_far, "shot"))
            if (!before->rows.at(0).contains("error")) hint = before->rows[0].at("q");
        return search(unit, hint);
    }

    Answer result(const JobRows &rows) override {
        const std::vector<PlannedShot> shots = answered(rows);
        const ShotAssembly all = assembly(shots);
        json plan = this->plan(shots, all);
        for (const UnitRows *unit : of_step(rows, "join")) plan.merge_patch(unit->rows.at(0).at("plan"));
        for (const UnitRows *unit : of_step(rows, "join"))
            for (std::size_t i = 0; i < unit->rows[0].at("shots").size(); i++)
                plan["shots"][i]["final_vmaf"] = unit->rows[0]["shots"][i];
        if (!o_.script_out.empty()) write_result(o_, o_.script_out, assembly_script(all, o_.segment_dir));
        Answer answer;
        answer.text = deliver(o_, o_.plan_out, json_document(plan));
        ExitCode failed = kExitOk;
        for (const PlannedShot &p : shots) {
            const std::string range = "shot " + std::to_string(p.shot.start) + " to " + std::to_string(p.shot.end);
            if (has_failed(p)) {
                answer.say("vmaf-tune per-shot: " + range + " failed: " + p.outcome.sentence);
                failed = worse(failed, p.outcome.exit_code());
            } else if (has_missed(p)) {
                answer.say("vmaf-tune per-shot: " + range + " misses the target: " + fixed_text(p.score, 4));
            }
        }
        if (failed == kExitOk) state_.finish();
        if (o_.run && failed == kExitOk && !o_.keeps_segments) remove_segments(all, o_.segment_dir);
        answer.exit_code = failed != kExitOk ? failed : is_any(shots, has_missed) ? kExitUnmet : kExitOk;
        return answer;
    }

    Parallel parallel(const json &unit) override { return {unit.at("step") == "segment" ? o_.encode_jobs : 1, true}; }

  private:
    // Shots, cut at zone boundaries. A unit contains its zone's wishes.
    std::vector<json> shot_units() {
        std::vector<Shot> found = find_shots(run_, o_, source_);
        if ((!o_.shots.empty() || !o_.per_shot_bin.empty()) && !times().empty())
            cover_everything(run_, found, std::ssize(times()));
        const std::vector<Zone> zones = read_zones(o_, adapter_, found.back().end);
        std::vector<json> units;
        for (const PlannedShot &planned : cut_at_zones(found, zones)) {
            const Shot &shot = planned.shot;
            json unit = {{"step", "shot"},
                         {"start", shot.start},
                         {"end", shot.end},
                         {"seconds", seconds_of(shot, source_, times())}};
            if (planned.zone) {
                const Zone &zone = zones[*planned.zone];
                if (zone.target) unit["target"] = *zone.target;
                if (zone.q) unit["q"] = *zone.q;
                if (!zone.preset.empty()) unit["preset"] = zone.preset;
            }
            units.push_back(std::move(unit));
        }
        run_.progress().say(std::to_string(units.size()) + (units.size() == 1 ? " shot" : " shots"));
        return units;
    }

    std::vector<json> segment_units(const JobRows &so_far) {
        if (const auto whole = one_for_all(so_far)) {
            const double part = bits_of({*whole}) / bits_of(searched(so_far));
            run_.progress().say("one value for all shots needs " + fixed_text(100 * (1 - part), 1) +
                                " % less and meets the target on the whole; it is used (--shots keeps shots apart)");
        }
        if (!o_.run) return {};
        if (const std::string lost = lost_streams(source_, false, false); !lost.empty())
            run_.progress().warn("'" + o_.output + "' will not have " + lost);
        const std::vector<PlannedShot> shots = answered(so_far);
        if (is_any(shots, has_failed)) return {};
        if (o_.executor == ExecutorKind::local) output_ = std::make_unique<NewFile>(o_.output);
        std::vector<json> units;
        for (std::size_t i = 0; i < shots.size(); i++)
            units.push_back({{"step", "segment"}, {"shot", i}, {"frames", shots[i].shot.frames()}});
        std::ranges::stable_sort(units, [](const json &a, const json &b) { return a["frames"] > b["frames"]; });
        return units; // long ones first, in parallel
    }

    std::vector<json> search(const json &unit, std::optional<double> hint) {
        if (unit.contains("q")) return {measure(unit, unit["q"])};
        const ProbeSetup setup = probe_setup(unit);
        const std::vector<QualityTarget> targets = targets_of(unit);
        return state_.remembered(search_identity(setup, o_, targets), "", [&] {
            const SearchReport report = QualitySearch(run_, o_, setup, targets, adapter_.step).find(targets, hint);
            json row = {{"q", report.q.value_or(hint.value_or(adapter_.default_q))},
                        {"probes", report.probes.size()},
                        {"met", report.ok()}};
            if (report.failed()) // the other shots continue
                row.update({{"error", report.outcome.sentence}, {"status", report.outcome.row_status()}});
            else
                row.update({{"score", report.score}, {"kbps", report.bitrate_kbps}});
            if (!report.failed()) run_.progress().remark(report.scored);
            return std::vector<json>{row};
        });
    }

    json measure(const json &unit, double q) {
        const ProbeSetup setup = probe_setup(unit);
        const ProbeResult probe = run_probe(setup, q);
        run_.check_interrupted();
        if (!probe.ok())
            return {{"q", q}, {"probes", 1}, {"error", probe.outcome.sentence}, {"status", probe.outcome.row_status()}};
        const QualityTarget target = targets_of(unit).front();
        return {{"q", q},
                {"probes", 1},
                {"score", probe_score(setup, probe, target.metric, target.pool)},
                {"kbps", probe.bitrate_kbps()}};
    }

    void make_segment(const ShotSegment &segment, std::size_t segments) {
        try {
            encode_segment(base_, segment, o_.segment_dir);
            run_.progress().note("segment " + std::to_string(++segments_made_) + " of " + std::to_string(segments));
        } catch (const CommandError &) { // finished segments stay for the next run
            run_.check_interrupted();
            throw;
        } catch (const system::OutputError &e) {
            throw CommandError(kExitOutput, e.what());
        } catch (const Error &e) {
            throw CommandError(kExitFailed, e.what());
        }
    }

    // The scores of the joined file, and of each shot in it.
    json join(const JobRows &so_far) {
        const std::vector<PlannedShot> shots = answered(so_far);
        const ShotAssembly all = assembly(shots);
        if (!output_) output_ = std::make_unique<NewFile>(o_.output);
        join_segments(run_, base_, all, *output_);
        return score_assembly(run_, base_, all, shots);
    }

    ProbeSetup probe_setup(const json &unit) {
        const std::string preset = o_.probe_preset.empty() ? preset_of(unit) : o_.probe_preset;
        const Shot shot{unit.at("start"), unit.at("end")};
        ProbeSetup setup = shot_setup(run_.setup(source_, adapter_, preset, false), shot, times());
        if (o_.probe_rate > 1) { // every n-th frame of the shot, on both sides
            const std::string select = "select=not(mod(n\\," + std::to_string(o_.probe_rate) + "))";
            for (std::string *filter : {&setup.encode.vfilter, &setup.score.reference_filter})
                *filter = filter->empty() ? select : select + "," + *filter;
            Window &window = setup.samples.front().window;
            window.frames = (window.frames + o_.probe_rate - 1) / o_.probe_rate;
        }
        return setup;
    }

    std::vector<QualityTarget> targets_of(const json &unit) const {
        std::vector<QualityTarget> own = targets_;
        own.front().value = unit.value("target", own.front().value);
        return own;
    }

    std::string preset_of(const json &unit) const { return unit.value("preset", run_.only_preset()); }

    // Neighbours too far apart move together; moved shots are measured again.
    std::vector<PlannedShot> searched(const JobRows &rows) const {
        std::vector<PlannedShot> shots;
        std::vector<double> q;
        std::vector<bool> is_fixed;
        for (const UnitRows *unit : of_step(rows, "shot")) {
            shots.push_back(planned_of(*unit));
            q.push_back(shots.back().q);
            is_fixed.push_back(unit->unit().contains("q"));
        }
        const std::vector<double> smooth_q = smoothed(q, is_fixed, o_.max_q_step, adapter_.higher_is_better);
        for (std::size_t i = 0; i < shots.size(); i++) {
            shots[i].is_smoothed = smooth_q[i] != q[i];
            shots[i].q = smooth_q[i];
        }
        for (const UnitRows *unit : of_step(rows, "move"))
            take_row(shots.at(unit->unit().at("shot")), unit->rows.at(0));
        return shots;
    }

    // Shots that we detected must pay: if one quality value meets the targets with at least 1 % less, it is used.
    std::optional<PlannedShot> one_for_all(const JobRows &rows) const {
        const std::vector<const UnitRows *> tried = of_step(rows, "whole");
        if (tried.empty()) return std::nullopt;
        const PlannedShot whole = planned_of(*tried.front());
        const bool is_better = whole.outcome.ok() && whole.is_met && bits_of(searched(rows)) > 1.01 * bits_of({whole});
        return is_better ? std::optional(whole) : std::nullopt;
    }

    std::vector<PlannedShot> answered(const JobRows &rows) const {
        if (const auto whole = one_for_all(rows)) return {*whole};
        std::vector<PlannedShot> shots = searched(rows);
        const std::vector<const UnitRows *> units = of_step(rows, "shot");
        for (std::size_t i = 0; i < shots.size(); i++) shots[i].preset = units[i]->unit().value("preset", "");
        return shots;
    }

    ShotAssembly assembly(const std::vector<PlannedShot> &shots) {
        std::vector<ShotSegment> segments;
        for (std::size_t i = 0; i < shots.size(); i++) {
            char name[48];
            std::snprintf(name, sizeof name, "segment_%05zu.mkv", i);
            const Shot &shot = shots[i].shot;
            const std::string preset = shots[i].preset.empty() ? run_.only_preset() : shots[i].preset;
            const ProbeSetup setup = run_.setup(source_, adapter_, preset, false);
            const std::string path = (fs::path(o_.segment_dir) / name).string();
            // A segment alone does not know the duration of its last frame.
            const bool has_next = static_cast<std::size_t>(shot.end) < times().size();
            segments.push_back({path,
                                encode_command(setup.programs, source_, window_of(shot, source_, times()), setup.encode,
                                               shots[i].q, 0, "", path),
                                shot.frames(), has_next ? seconds_of(shot, source_, times()) : 0});
        }
        return assemble(base_, segments, o_.segment_dir, o_.output, times().empty() ? 0 : times().front());
    }

    json plan(const std::vector<PlannedShot> &shots, const ShotAssembly &assembly) const {
        json plan = {{"src", source_.path},
                     {"encoder", adapter_.name},
                     {"preset", base_.encode.preset},
                     {"framerate", source_.rate.value()},
                     {"predicate", search_word(o_.search)},
                     {"target_vmaf", targets_.front().value},
                     {"shots", shots_json(shots)},
                     {"totals", totals_json(shots)},
                     {"segment_commands", json::array()},
                     {"concat_command", assembly.concat_command}};
        if (!o_.probe_preset.empty()) plan["probe_preset"] = o_.probe_preset;
        for (const ShotSegment &segment : assembly.segments) plan["segment_commands"].push_back(segment.command);
        return plan;
    }

    // On a node of a cluster, segments that are made at once ask first.
    const std::vector<double> &times() {
        std::call_once(has_times_, [&] { times_ = frame_times(run_.programs().ffprobe, source_); });
        return times_;
    }

    const PerShotRequest o_;
    const std::vector<QualityTarget> targets_;
    const Source source_;
    const Adapter &adapter_;
    const ProbeSetup base_;
    std::once_flag has_times_;
    std::vector<double> times_; // of all frames
    JobState state_;
    std::unique_ptr<NewFile> output_; // claimed before segments are made
    std::atomic<std::size_t> segments_made_{0};
};

void bind_per_shot(CLI::App &app, PerShotRequest &o) {
    bind_encoding_command(app, o, {.samples = false});
    bind_search(app, o);
    add_option(app, "--shots", o.shots, "read shots from this file (JSON or CSV)");
    add_option(app, "--diff-threshold", o.diff_threshold,
               "cut where luma changes by this much between frames, instead of using the detector");
    add_option(app, "--min-shot", o.min_shot, "shortest shot in frames")->check(CLI::Range(1, 100000));
    add_option(app, "--max-shot", o.max_shot, "split longer shots (0: never)");
    add_option(app, "--segment-dir", o.segment_dir,
               "folder for segments, which stay (default: OUTPUT.segments, removed at the end)");
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
    bind_cluster(app, o);
}

CommandFiles files_of(const PerShotRequest &o) {
    CommandFiles files = files_of(static_cast<const ProbeRequest &>(o));
    files.inputs.insert(files.inputs.end(), {{"the shots", o.shots}, {"the zones", o.zones}});
    files.outputs.insert(files.outputs.end(), {o.plan_out, o.script_out});
    return files;
}

} // namespace

void add_per_shot(Commands &commands) {
    commands.add_job<PerShotJob, PerShotRequest>(
        {"per-shot",
         "a quality value for each shot",
         {"tune-per-shot"},
         "  vmaf-tune per-shot -i film.mkv --target-vmaf 93 --plan-out plan.json\n"
         "  vmaf-tune per-shot -i film.mkv --target-vmaf 93 --script-out encode.sh\n"
         "  vmaf-tune per-shot -i film.mkv --target-vmaf 93 --run -o out.mkv"},
        bind_per_shot);
}

} // namespace vmaf::tune
