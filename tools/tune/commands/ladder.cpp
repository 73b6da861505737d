// `ladder`: which resolutions and bitrates to ship (tune.md 12.12). Scales the source to each rung before encoding, and
// scales the decoded rung back for scoring.
//
// Its units, by phases: points of each size's curve; further points that the first curve needs, then those of the
// others; the exact rung at each target; the properties of the chosen rungs' streams; with --run the rungs, sound and
// subtitles.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "cli/new_file.hpp"
#include "cli/work_folder.hpp"
#include "commands/commands.hpp"
#include "commands/job_state.hpp"
#include "commands/ladder_sizes.hpp"
#include "commands/manifest.hpp"
#include "commands/rung_files.hpp"
#include "commands/search_hints.hpp"
#include "commands/search_result.hpp"

#include "curves/rate_curve.hpp"
#include "rows/row.hpp"
#include "system/filesystem.hpp"
#include "system/output_file.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

enum class RungSpacing { log_bitrate, vmaf };

struct LadderRequest : ProbeRequest, SearchOptions, ClusterOptions {
    std::string resolutions, target_vmafs = "95,90,85,75,65", points, audio_codec;
    RungSpacing spacing = RungSpacing::log_bitrate;
    LadderFormat format = LadderFormat::json;
    int quality_tiers = 5;
    std::optional<double> min_bitrate;
    double segment_seconds = 4;
    bool run = false, video_only = false;
};

std::vector<double> sorted_targets(const LadderRequest &o) {
    std::vector<double> targets;
    std::istringstream list(o.target_vmafs);
    for (std::string item; std::getline(list, item, ',');) {
        char *end = nullptr;
        targets.push_back(std::strtod(item.c_str(), &end));
        if (end == item.c_str() || *end) throw usage_error("--target-vmafs: '" + item + "' is not a number");
    }
    if (targets.empty()) throw usage_error("--target-vmafs is empty");
    for (const double value : targets) check_target({o.metric, o.pool, value});
    std::ranges::sort(targets);
    return targets;
}

Outcome last_failure(const JobRows &rows) {
    Outcome failure;
    for (const UnitRows &unit : rows)
        for (const json &row : unit.rows)
            if (row.contains("error")) failure = outcome_of_row(row.at("status"), row["error"]);
    return failure;
}

// All measured rows, by size and then by target.
std::string measured_rows(const JobRows &rows, std::size_t sizes) {
    std::string text;
    const auto add = [&](const UnitRows *unit) {
        for (const json &point : unit->rows)
            if (point.contains("row")) text += json_line(point["row"]) + "\n";
    };
    for (std::size_t size = 0; size < sizes; size++)
        for (const char *step : {"point", "curve"})
            for (const UnitRows *unit : of_step(rows, step))
                if (unit->unit().at("size") == size) add(unit);
    for (const UnitRows *unit : of_step(rows, "rung")) add(unit);
    return text;
}

class LadderJob : public Job {
  public:
    explicit LadderJob(const LadderRequest &o)
        : Job(o), o_(o), source_(run_.open_source(o.sources.at(0))), adapter_(run_.only_adapter()),
          grid_(adapter_, o_, adapter_.step), targets_(sorted_targets(o)), sizes_(rung_sizes(o.resolutions, source_)),
          state_(run_, "ladder", source_.id) {}

    void check_outputs() override {
        check_result(o_, o_.output);
        check_result(o_, o_.points);
    }

    void print_commands() override {
        for (const FrameSize &size : sizes_) print_probe_commands(setup_of(size), adapter_.default_q);
    }

    std::vector<json> next(const JobRows &so_far) override {
        if (so_far.empty()) return first_points();
        const std::string step = so_far.back().unit().at("step");
        std::vector<json> units;
        if (step == "point") {
            units.push_back({{"step", "curve"}, {"size", 0}}); // which shows what the others are worth
        } else if (step == "curve" && sizes_.size() > 1 && so_far.back().unit().at("size") == 0) {
            for (std::size_t i = 1; i < sizes_.size(); i++) units.push_back({{"step", "curve"}, {"size", i}});
        } else if (step == "curve") {
            const Outcome failure = last_failure(so_far);
            if (curves(so_far).empty())
                throw CommandError(failure.ok() ? kExitUnmet : failure.exit_code(),
                                   "no point could be measured" + (failure.ok() ? "" : ": " + failure.sentence));
            if (!failure.ok()) run_.progress().warn("not every size could be measured: " + failure.sentence);
            for (const double target : targets_) units.push_back({{"step", "rung"}, {"target", target}});
        } else if (step == "rung") {
            for (const RatePoint &point : choose(so_far))
                units.push_back({{"step", "describe"}, {"point", point_json(point)}});
        } else if (step == "describe" && o_.run) {
            for (std::size_t i = 0; i < rungs(so_far).size(); i++) units.push_back({{"step", "encode"}, {"rung", i}});
            if (!o_.video_only) units.push_back({{"step", "tracks"}});
        }
        return units;
    }

    std::vector<json> run(const json &unit, const JobRows &so_far) override {
        const std::string step = unit.at("step");
        if (step == "point") return measure_point(unit);
        if (step == "curve") return complete_curve(unit.at("size"), so_far);
        if (step == "rung") return find_rung(unit.at("target"), curves(so_far));
        if (step == "describe") return {describe(point_of(unit.at("point")))};
        if (step == "encode") return {encode_rung(rungs(so_far).at(unit.at("rung")))};
        std::vector<json> tracks;
        for (const SideTrack &track : make_side_tracks(run_, source_, o_.audio_codec, files()))
            tracks.push_back(track_json(track));
        return tracks;
    }

    Answer result(const JobRows &rows) override {
        const std::vector<Rung> rungs = this->rungs(rows);
        std::vector<SideTrack> tracks;
        for (const UnitRows *unit : of_step(rows, "tracks"))
            for (const json &track : unit->rows) tracks.push_back(track_of(track));
        const std::string text = o_.format == LadderFormat::hls    ? hls_playlist(rungs, source_, tracks)
                                 : o_.format == LadderFormat::dash ? dash_manifest(rungs, source_, tracks)
                                                                   : json_document(document(rungs));
        if (!o_.points.empty()) write_result(o_, o_.points, measured_rows(rows, sizes_.size()));
        state_.finish();
        return {kExitOk, deliver(o_, o_.output, text), ""};
    }

  private:
    // Two fixed points per size, so that the answer does not depend on the cache. They show roughly at which targets a
    // size pays.
    std::vector<json> first_points() const {
        std::vector<json> units;
        for (std::size_t size = 0; size < sizes_.size(); size++) {
            std::set<int> known;
            for (const double place : {0.2, 0.6})
                if (const int k = grid_.nearest(grid_.q(static_cast<int>(place * grid_.last())));
                    known.insert(k).second)
                    units.push_back({{"step", "point"}, {"size", size}, {"k", k}});
        }
        return units;
    }

    std::vector<json> measure_point(const json &unit) {
        const ProbeSetup setup = setup_of(sizes_.at(unit.at("size")));
        const int k = unit.at("k");
        return state_.remembered(search_identity(setup, o_, quality_targets()), std::to_string(k),
                                 [&] { return std::vector<json>{probe(setup, grid_.q(k))}; });
    }

    // Adds points until the curve gives the rate between the wanted targets precisely enough.
    std::vector<json> complete_curve(std::size_t size, const JobRows &so_far) {
        // Without those of other machines, so that the answer does not depend on what runs at once.
        const std::vector<RateCurve> first = curves_by_size(so_far, 1);
        RateCurve curve = first[size];
        for (const UnitRows *unit : of_step(so_far, "point"))
            for (const json &point : unit->rows)
                if (unit->unit().at("size") == size && point.contains("error")) return {};
        const auto wanted = wanted_scores(first, size, targets_, is_bounded(), {grid_.q(0), grid_.q(grid_.last())});
        if (!wanted) return {};
        std::set<int> known;
        for (const RatePoint &point : curve.points) known.insert(grid_.nearest(point.q));
        const ProbeSetup setup = setup_of(sizes_.at(size));
        return state_.remembered(search_identity(setup, o_, quality_targets()), "", [&] {
            std::vector<json> made;
            const auto measure = [&](int k) { // false: nothing new
                if (!known.insert(k).second) return false;
                made.push_back(probe(setup, grid_.q(k)));
                if (made.back().contains("error")) return false;
                curve.points.push_back(point_of(made.back()));
                return true;
            };
            // A point beyond the end of the wanted scores, estimated from the rough curve; else the window's end.
            const auto reach = [&](double score, int end, auto is_enough) {
                const int margin = end == 0 ? -grid_.points_in(1) : grid_.points_in(1);
                for (int trial = 0; trial < 2; trial++) {
                    if (std::ranges::any_of(curve.points, [&](const RatePoint &p) { return is_enough(p.score); }))
                        return true;
                    const auto there = trial == 0 ? curve.rough_at(score, is_bounded(), first.front()) : std::nullopt;
                    if (!measure(there ? std::clamp(grid_.nearest(there->q) + margin, 0, grid_.last()) : end))
                        return false;
                }
                return true;
            };
            constexpr std::size_t kMost = 12;
            const auto [low, high] = *wanted;
            if (!reach(high, 0, [high = high](double score) { return score >= high; }) && !made.empty() &&
                made.back().contains("error"))
                return made;
            reach(low, grid_.last(), [low = low](double score) { return score <= low; });
            while (known.size() < kMost && (curve.points.size() < 3 || curve.error(low, high) > kCurveError))
                if (!measure(grid_.nearest(curve.points.size() < 3 ? curve.q_at((low + high) / 2)
                                                                   : curve.least_certain_q(low, high))))
                    break;
            return made;
        });
    }

    // A rung at the target: at the size favoured by the curves, or if another one is as good within the curves' error,
    // at the one that needs less.
    std::vector<json> find_rung(double target, const std::vector<RateCurve> &curves) {
        std::vector<std::pair<double, const RateCurve *>> rates;
        for (const RateCurve &curve : curves)
            if (const auto kbps = curve.rate_at(target)) rates.emplace_back(*kbps, &curve);
        if (rates.empty()) return {};
        std::ranges::sort(rates, [](const auto &a, const auto &b) { return a.first < b.first; });
        std::vector<json> found;
        for (const auto &[kbps, curve] : rates) {
            if (kbps > rates.front().first * (1 + 2 * kCurveError)) break;
            const RatePoint &any = curve->points.front();
            const ProbeSetup setup = setup_of({any.width, any.height});
            SearchOptions own = o_; // to 1 % of the rate, or exactly if requested
            if (!own.tolerance)
                own.tolerance =
                    search_score(o_.metric, target + curve->score_of_percent(target)) - search_score(o_.metric, target);
            own.start_q = curve->q_at(target);
            QualitySearch search(run_, own, setup, {{o_.metric, o_.pool, target}}, adapter_.step);
            for (const RatePoint &p : curve->points) search.known_scores.emplace_back(p.q, p.score);
            const SearchReport report = search.find({{o_.metric, o_.pool, target}});
            if (report.failed())
                found.push_back({{"error", report.outcome.sentence}, {"status", report.outcome.row_status()}});
            if (!report.ok()) continue;
            run_.progress().remark(report.scored);
            found.push_back(point_json({report.bitrate_kbps, report.score, any.width, any.height, *report.q}));
            for (const ProbeResult &probe : report.probes)
                if (probe.q == *report.q) found.back()["row"] = make_row(setup, probe);
        }
        return found;
    }

    // The stream's profile, level and peaks, from another encode of the rung.
    json describe(const RatePoint &point) {
        const ProbeSetup setup = setup_of({point.width, point.height});
        std::string codecs;
        double peak_bps = 0;
        for (const Sample &sample : setup.samples) { // the peak of all samples
            const std::string path = run_.work_folder() + "/rung.mkv";
            run_.check_interrupted();
            if (!run_encode(setup.programs, sample.source, sample.window, setup.encode, point.q, path).ok()) continue;
            codecs = codec_string(setup.programs, path);
            peak_bps = std::max(peak_bps, peak_bandwidth(setup.programs, path, source_.rate.value()));
            std::error_code ignored;
            fs::remove(path, ignored);
        }
        return {{"codecs", codecs}, {"peak_bps", peak_bps}};
    }

    // The whole source, with key frames at the same times as other rungs; HLS in segments, else as a file.
    json encode_rung(Rung rung) {
        const RungFiles files = this->files();
        const ProbeSetup setup = setup_of({rung.point.width, rung.point.height});
        const std::string path = files.made(rung.name()), kept = files.kept(rung.name());
        Arguments command = encode_command(setup.programs, source_, {}, setup.encode, rung.point.q, 0, "", path);
        command.pop_back();
        append(command, {"-force_key_frames", "expr:gte(t,n_forced*" + number_text(o_.segment_seconds) + ")"});
        append(command, adapter_.container_tag("mp4"));
        files.complete(command, rung.name(), true);
        const ChildResult outcome = run_child(command);
        run_.check_interrupted();
        demand_success(outcome, rung.name() + ": the encoder", kept);
        demand_whole(setup.programs, outcome, path, frames_wished(source_, {}, run_.options().vfilter), kept);
        demand_unchanged(source_);
        const Bandwidth made = files.bandwidth(setup.programs, rung.name(), source_.rate.value());
        rung.index = files.index_of(rung.name());
        files.keep(rung.name());
        run_.progress().say("encoded " + kept);
        return {{"peak_bps", made.peak_bps}, {"mean_bps", made.mean_bps}, {"index", index_json(rung.index)}};
    }

    bool is_bounded() const { return metric_choice(o_.metric)->bounded_by_100; }

    // The further points of the first sizes only.
    std::vector<RateCurve> curves_by_size(const JobRows &rows, std::size_t completed) const {
        std::vector<RateCurve> curves(sizes_.size());
        for (const char *step : {"point", "curve"})
            for (const UnitRows *unit : of_step(rows, step)) {
                const std::size_t size = unit->unit().at("size");
                if (unit->unit().at("step") == "curve" && size >= completed) continue;
                for (const json &point : unit->rows)
                    if (!point.contains("error")) curves.at(size).points.push_back(point_of(point));
            }
        return curves;
    }

    std::vector<RateCurve> curves(const JobRows &rows) const {
        std::vector<RateCurve> curves = curves_by_size(rows, sizes_.size());
        std::erase_if(curves, [](const RateCurve &curve) { return curve.points.empty(); });
        return curves;
    }

    // Selects the points that become rungs.
    std::vector<RatePoint> choose(const JobRows &rows) {
        std::vector<RatePoint> at_targets;
        for (const UnitRows *unit : of_step(rows, "rung")) {
            std::optional<RatePoint> best;
            for (const json &point : unit->rows)
                if (!point.contains("error") && (!best || point.at("kbps") < best->kbps)) best = point_of(point);
            if (best)
                at_targets.push_back(*best);
            else
                run_.progress().warn("no size reaches " + o_.metric + " " + number_text(unit->unit().at("target")) +
                                     "; the ladder ends below");
        }
        if (at_targets.empty()) // easier or harder than all targets: the best measurement
            for (const RateCurve &curve : curves(rows))
                at_targets.insert(at_targets.end(), curve.points.begin(), curve.points.end());
        std::vector<RatePoint> usable;
        for (const RatePoint &p : at_targets)
            if ((!o_.max_bitrate || p.kbps <= *o_.max_bitrate) && (!o_.min_bitrate || p.kbps >= *o_.min_bitrate))
                usable.push_back(p);
        const std::vector<RatePoint> chosen =
            choose_rungs(rising(std::move(usable)), o_.quality_tiers, o_.spacing == RungSpacing::log_bitrate);
        if (chosen.empty()) throw CommandError(kExitUnmet, "no point lies between --min-bitrate and --max-bitrate");
        return chosen;
    }

    // The chosen rungs, as far as described and encoded.
    std::vector<Rung> rungs(const JobRows &rows) const {
        std::vector<Rung> rungs;
        for (const UnitRows *unit : of_step(rows, "describe"))
            rungs.push_back(
                {point_of(unit->unit().at("point")), unit->rows.at(0).at("codecs"), unit->rows[0].at("peak_bps")});
        for (const UnitRows *unit : of_step(rows, "encode")) {
            Rung &rung = rungs.at(unit->unit().at("rung"));
            rung.peak_bps = unit->rows.at(0).at("peak_bps");
            rung.mean_bps = unit->rows[0].at("mean_bps");
            rung.index = index_of(unit->rows[0].at("index"));
        }
        return rungs;
    }

    json document(const std::vector<Rung> &rungs) const {
        json document = {{"schema", "vmaf-tune-ladder/v1"},
                         {"src", source_.path},
                         {"encoder", adapter_.name},
                         {"renditions", json::array()}};
        for (const Rung &r : rungs)
            document["renditions"].push_back({{"width", r.point.width},
                                              {"height", r.point.height},
                                              {"bitrate_kbps", r.point.kbps},
                                              {"bandwidth_bps", std::round(r.bandwidth())},
                                              {"vmaf", r.point.score},
                                              {"crf", r.point.q},
                                              {"codecs", r.codecs}});
        return document;
    }

    ProbeSetup setup_of(FrameSize size) {
        ProbeSetup setup = run_.setup(source_, adapter_, run_.only_preset(), true);
        if (setup.score.scale == "none") // rungs are compared at the source's size
            setup.score.scale = std::to_string(source_.width) + "x" + std::to_string(source_.height);
        setup.encode_size = size;
        if (size.width == source_.width && size.height == source_.height) return setup;
        const std::string scale = "scale=" + std::to_string(size.width) + ":" + std::to_string(size.height) +
                                  ":flags=" + o_.scaler + ",setsar=1";
        setup.encode.vfilter = o_.vfilter.empty() ? scale : o_.vfilter + "," + scale;
        setup.score.reference_filter = o_.reference_vfilter.value_or(o_.vfilter);
        return setup;
    }

    // A point of a curve with its row, or the reason for its absence.
    json probe(const ProbeSetup &setup, double q) {
        run_.check_interrupted();
        ProbeSetup own = setup;
        const std::string label = adapter_.name + " " + std::to_string(setup.encode_size.width) + "x" +
                                  std::to_string(setup.encode_size.height) + " " + adapter_.knob;
        run_.show_progress(own, label);
        const ProbeResult probe = run_probe(own, q);
        run_.check_interrupted();
        for (const std::string &warning : probe.warnings) run_.progress().warn(warning);
        if (!probe.ok()) return {{"error", probe.outcome.sentence}, {"status", probe.outcome.row_status()}};
        const double score = probe_score(setup, probe, o_.metric, o_.pool);
        run_.progress().probe_done(source_.path, {{"q", q}, {"score", score}, {"bitrate_kbps", probe.bitrate_kbps()}},
                                   label + " " + number_text(q) + ": " + o_.metric + " " + fixed_text(score, 4) + ", " +
                                       fixed_text(probe.bitrate_kbps(), 1) + " kbps" +
                                       (probe.from_cache ? " [cached]" : ""));
        json point =
            point_json({probe.bitrate_kbps(), score, setup.encode_size.width, setup.encode_size.height, probe.q});
        point["row"] = make_row(setup, probe);
        return point;
    }

    std::vector<QualityTarget> quality_targets() const {
        std::vector<QualityTarget> all;
        for (const double value : targets_) all.push_back({o_.metric, o_.pool, value});
        return all;
    }

    RungFiles files() const { return RungFiles({o_.output, o_.overwrite, o_.format, o_.segment_seconds}); }

    const LadderRequest o_;
    const Source source_;
    const Adapter &adapter_;
    const QualityGrid grid_;
    const std::vector<double> targets_; // lowest first
    const std::vector<FrameSize> sizes_;
    JobState state_;
};

constexpr Choice<RungSpacing> kSpacings[] = {
    {"log_bitrate", RungSpacing::log_bitrate}, {"vmaf", RungSpacing::vmaf}, {"uniform", RungSpacing::vmaf}};
constexpr Choice<LadderFormat> kLadderFormats[] = {
    {"json", LadderFormat::json}, {"hls", LadderFormat::hls}, {"dash", LadderFormat::dash}};

void bind_ladder(CLI::App &app, LadderRequest &o) {
    bind_encoding_command(app, o, {});
    bind_search(app, o);
    add_option(app, "--resolutions", o.resolutions,
               "comma-separated WxH (default: the source's size and smaller ones of its shape)");
    add_option(app, "--target-vmafs", o.target_vmafs, "comma-separated VMAF targets");
    add_option(app, "--quality-tiers", o.quality_tiers, "maximum number of rungs")->check(CLI::Range(1, 50));
    add_choice(app, "--spacing", o.spacing, kSpacings, "how rungs are spaced");
    add_choice(app, "--format", o.format, kLadderFormats, "format of the ladder (default: json)", false);
    add_option(app, "--points", o.points, "write all measured points as rows to this file");
    add_option(app, "--min-bitrate", o.min_bitrate, "lowest bitrate of a rung in kbps");
    add_option(app, "--audio-codec", o.audio_codec, "with --run: audio codec (default: AAC; AAC sources are copied)");
    app.add_flag("--video-only", o.video_only, "with --run: no sound and subtitles");
    app.add_flag("--run", o.run, "encode the rungs next to the output, with aligned key frames");
    add_option(app, "--segment-seconds", o.segment_seconds, "with --run: length of a segment in seconds")
        ->check(CLI::PositiveNumber);
    bind_older_flags(app, o, &o);
    bind_cluster(app, o);
}

CommandFiles files_of(const LadderRequest &o) {
    CommandFiles files = files_of(static_cast<const ProbeRequest &>(o));
    files.outputs.push_back(o.points);
    return files;
}

} // namespace

void add_ladder(Commands &commands) {
    commands.add_job<LadderJob, LadderRequest>({"ladder",
                                                "resolutions and bitrates to ship",
                                                {},
                                                "  vmaf-tune ladder -i film.mkv -e libx264 -o ladder.json\n"
                                                "  vmaf-tune ladder -i film.mkv --resolutions 1280x720,640x360 \\\n"
                                                "      --target-vmafs 95,85,70\n"
                                                "  vmaf-tune ladder -i film.mkv --format hls --run -o master.m3u8"},
                                               bind_ladder);
}

} // namespace vmaf::tune
