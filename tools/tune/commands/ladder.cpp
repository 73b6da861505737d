// `ladder`: which resolutions and bitrates to ship (tune.md 12.12). The source is scaled to each rung before it is
// encoded, and the decoded rung is scaled back for scoring.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "cli/new_file.hpp"
#include "cli/work_folder.hpp"
#include "commands/commands.hpp"
#include "commands/job_state.hpp"
#include "commands/manifest.hpp"
#include "commands/on_cluster.hpp"
#include "commands/rung_files.hpp"
#include "commands/search_hints.hpp"
#include "commands/search_result.hpp"

#include "curves/rate_curve.hpp"
#include "rows/row.hpp"
#include "system/filesystem.hpp"
#include "system/output_file.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

enum class RungSpacing { log_bitrate, vmaf };

struct LadderRequest : ClusterRequest, SearchOptions {
    std::string resolutions, target_vmafs = "95,90,85,75,65", points, audio_codec;
    RungSpacing spacing = RungSpacing::log_bitrate;
    LadderFormat format = LadderFormat::json;
    int quality_tiers = 5;
    std::optional<double> min_bitrate;
    double segment_seconds = 4;
    bool run = false, video_only = false;
};

int nearest_even(double value) { return std::max(2, 2 * static_cast<int>(std::lround(value / 2))); }

// Of the source's shape; its own size is always among them.
std::vector<FrameSize> usual_sizes(const Source &source) {
    const FrameSize own{source.width - source.width % 2, source.height - source.height % 2};
    std::vector<FrameSize> sizes = {own};
    for (const int height : {2160, 1440, 1080, 720, 540, 432, 360, 270, 216}) {
        const FrameSize size{nearest_even(double(height) * source.width / source.height), height};
        if (size.height < own.height && size.width <= own.width) sizes.push_back(size);
    }
    return sizes;
}

std::vector<FrameSize> rung_sizes(const LadderRequest &o, const Source &source) {
    if (o.resolutions.empty()) return usual_sizes(source);
    std::vector<FrameSize> sizes;
    std::istringstream list(o.resolutions);
    for (std::string item; std::getline(list, item, ',');) {
        FrameSize size;
        char end = 0;
        if (std::sscanf(item.c_str(), "%dx%d%c", &size.width, &size.height, &end) != 2 || size.width < 16 ||
            size.height < 16 || size.width % 2 || size.height % 2)
            throw usage_error("--resolutions: '" + item + "' is not an even WxH");
        if (size.width > source.width || size.height > source.height)
            throw usage_error("--resolutions: " + item + " is larger than the source");
        sizes.push_back(size);
    }
    if (sizes.empty()) throw usage_error("--resolutions is empty");
    return sizes;
}

std::vector<double> target_list(const std::string &text) {
    std::vector<double> targets;
    std::istringstream list(text);
    for (std::string item; std::getline(list, item, ',');) {
        char *end = nullptr;
        targets.push_back(std::strtod(item.c_str(), &end));
        if (end == item.c_str() || *end) throw usage_error("--target-vmafs: '" + item + "' is not a number");
    }
    if (targets.empty()) throw usage_error("--target-vmafs is empty");
    return targets;
}

class LadderWork {
  public:
    LadderWork(Run &run, const LadderRequest &o)
        : run_(run), o_(o), source_(run.open_source(o.sources.at(0))), adapter_(run.only_adapter()),
          targets_(target_list(o.target_vmafs)), state_(run, "ladder", source_.id) {
        for (const double value : targets_) check_target({o.metric, o.pool, value});
        const bool writes = !o.cluster.on_parts && o.cluster.part.empty(); // a part only measures
        if (!o.points.empty() && writes)
            rows_ = std::make_unique<RowWriter>(o.points,
                                                o.overwrite ? RowWriter::Mode::overwrite : RowWriter::Mode::fresh);
    }

    const Source &source() const { return source_; }
    const Adapter &adapter() const { return adapter_; }

    ProbeSetup setup_of(FrameSize size) {
        ProbeSetup setup = run_.setup(source_, adapter_, run_.only_preset(), true);
        if (setup.score.scale == "none") // rungs are compared at the source's size, not at their own
            setup.score.scale = std::to_string(source_.width) + "x" + std::to_string(source_.height);
        setup.encode_size = size;
        if (size.width == source_.width && size.height == source_.height) return setup;
        const std::string scale = "scale=" + std::to_string(size.width) + ":" + std::to_string(size.height) +
                                  ":flags=" + o_.scaler + ",setsar=1";
        setup.encode.vfilter = o_.vfilter.empty() ? scale : o_.vfilter + "," + scale;
        setup.score.reference_filter = o_.reference_vfilter.value_or(o_.vfilter);
        return setup;
    }

    // The curve of one size: fixed points, so that the answer does not depend on what is in the cache, and more where
    // the points do not tell the rate between them closely enough.
    RateCurve measure(FrameSize size) {
        const ProbeSetup setup = setup_of(size);
        std::vector<QualityTarget> all;
        for (const double value : targets_) all.push_back({o_.metric, o_.pool, value});
        const std::string key = search_identity(setup, o_, all);
        json stored = state_.find(key).value_or(json());
        if (stored.is_null()) {
            stored = {{"points", json::array()}, {"rows", json::array()}};
            const QualityGrid grid(adapter_, o_, adapter_.step);
            RateCurve curve;
            std::set<int> known;
            const auto add = [&](int k) {
                if (!known.insert(k).second || !error_.empty()) return;
                const ProbeResult probe = this->probe(setup, grid.q(k));
                if (!probe.ok()) return;
                const double score = probe_score(setup, probe, o_.metric, o_.pool);
                curve.points.push_back({probe.bitrate_kbps(), score, size.width, size.height, probe.q});
                stored["points"].push_back({probe.bitrate_kbps(), score, probe.q});
                stored["rows"].push_back(make_row(setup, probe));
            };
            constexpr int kMost = 12;
            const auto [low, high] = std::minmax_element(targets_.begin(), targets_.end());
            for (int i = 1; i < kFirstPoints - 1; i++) add(grid.nearest(first_point(grid, i)));
            // The ends cost most or tell least; they are looked at where the targets reach beyond the others.
            const auto reaches = [&](auto is_enough) {
                return std::any_of(curve.points.begin(), curve.points.end(),
                                   [&](const RatePoint &p) { return is_enough(p.score); });
            };
            if (!reaches([most = *high](double score) { return score >= most; })) add(0);
            if (!reaches([least = *low](double score) { return score <= least; })) add(grid.last());
            while (error_.empty() && known.size() < kMost && curve.error(*low, *high) > kCurveError) {
                const double middle = curve.least_certain_q(*low, *high);
                const int k = grid.nearest(middle);
                if (known.contains(k)) break;
                add(k);
            }
            if (error_.empty()) state_.store(key, stored);
        }
        RateCurve curve;
        for (const json &p : stored["points"]) curve.points.push_back({p[0], p[1], size.width, size.height, p[2]});
        if (rows_)
            for (const json &row : stored["rows"]) rows_->write(row);
        return curve;
    }

    // One of the parts that machines share: a point of a size's curve, a curve, or a rung.
    int do_part(const std::string &part, const std::vector<FrameSize> &sizes) {
        std::istringstream words(part);
        std::string kind;
        double first = 0;
        int second = 0;
        words >> kind >> first >> second;
        if (kind == "rung") {
            std::vector<RateCurve> curves;
            for (const FrameSize &size : sizes)
                if (RateCurve curve = measure(size); !curve.points.empty()) curves.push_back(std::move(curve));
            rung_at(first, curves);
        } else if (const auto size = static_cast<std::size_t>(first); kind == "curve") {
            measure(sizes.at(size));
        } else {
            const ProbeSetup setup = setup_of(sizes.at(size));
            probe(setup, first_point(QualityGrid(adapter_, o_, adapter_.step), second));
        }
        if (!error_.empty()) throw CommandError(exit_code(), error_);
        return kExitOk;
    }

    std::vector<std::vector<std::string>> parts(const std::vector<FrameSize> &sizes) const {
        std::vector<std::vector<std::string>> phases(3);
        for (std::size_t i = 0; i < sizes.size(); i++) {
            for (int k = 1; k < kFirstPoints - 1; k++) // the ends where they are needed
                phases[0].push_back("point " + std::to_string(i) + " " + std::to_string(k));
            phases[1].push_back("curve " + std::to_string(i));
        }
        for (const double target : targets_) phases[2].push_back("rung " + number_text(target));
        return phases;
    }

    // A rung at the target: at the size that the curves favour, and where another one is as good within the curves'
    // error, at the one that needs less.
    std::optional<RatePoint> rung_at(double target, const std::vector<RateCurve> &curves) {
        std::vector<std::pair<double, const RateCurve *>> rates;
        for (const RateCurve &curve : curves)
            if (const auto kbps = curve.rate_at(target)) rates.emplace_back(*kbps, &curve);
        if (rates.empty()) return std::nullopt;
        std::sort(rates.begin(), rates.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
        std::optional<RatePoint> best;
        for (const auto &[kbps, curve] : rates) {
            if (kbps > rates.front().first * (1 + 2 * kCurveError)) break;
            const RatePoint &any = curve->points.front();
            const ProbeSetup setup = setup_of({any.width, any.height});
            SearchOptions own = o_; // the exact answer, wherever the search begins
            own.thorough = true;
            own.start_q = curve->q_at(target);
            QualitySearch search(run_, own, setup, {{o_.metric, o_.pool, target}}, adapter_.step);
            for (const RatePoint &p : curve->points) search.known_scores.emplace_back(p.q, p.score);
            const SearchReport report = search.find({{o_.metric, o_.pool, target}});
            if (report.failed) {
                error_ = report.error;
                failure_status_ = report.failure_status;
            }
            if (!report.ok()) continue;
            if (rows_)
                for (const ProbeResult &probe : report.probes)
                    if (probe.q == *report.q) rows_->write(make_row(setup, probe));
            run_.progress().remark(report.scored);
            if (!best || report.bitrate_kbps < best->kbps)
                best = RatePoint{report.bitrate_kbps, report.score, any.width, any.height, *report.q};
        }
        return best;
    }

    const std::vector<double> &targets() const { return targets_; }

    // The stream's own profile, level and peaks, from one more encode of the rung.
    Rung describe(const RatePoint &point) {
        const ProbeSetup setup = setup_of({point.width, point.height});
        Rung rung{point, "", 0};
        for (const Sample &sample : setup.samples) { // the peak of all samples
            const std::string path = run_.work_folder() + "/rung.mkv";
            run_.check_interrupted();
            if (!run_encode(setup.programs, sample.source, sample.window, setup.encode, point.q, path).ok()) continue;
            rung.codecs = codec_string(setup.programs, path);
            rung.peak_bps = std::max(rung.peak_bps, peak_bandwidth(setup.programs, path, source_.rate.value()));
            std::error_code ignored;
            fs::remove(path, ignored);
        }
        return rung;
    }

    void finish() { state_.finish(); }
    const std::string &error() const { return error_; }
    int exit_code() const { return error_.empty() ? kExitUnmet : exit_code_of_status(failure_status_); }

  private:
    static constexpr int kFirstPoints = 6; // of every curve
    static double first_point(const QualityGrid &grid, int i) { return grid.q(grid.last() * i / (kFirstPoints - 1)); }

    ProbeResult probe(const ProbeSetup &setup, double q) {
        run_.check_interrupted();
        ProbeSetup own = setup;
        const std::string label = adapter_.name + " " + std::to_string(setup.encode_size.width) + "x" +
                                  std::to_string(setup.encode_size.height) + " " + std::string(adapter_.knob);
        own.progress = [&](const StageProgress &p) { run_.progress().stage(label, p); };
        const ProbeResult probe = run_probe(own, q);
        run_.check_interrupted();
        for (const std::string &warning : probe.warnings) run_.progress().warn(warning);
        if (!probe.ok()) {
            error_ = probe.error;
            failure_status_ = probe.status;
            return probe;
        }
        const double score = probe_score(setup, probe, o_.metric, o_.pool);
        run_.progress().probe_done(source_.path, {{"q", q}, {"score", score}, {"bitrate_kbps", probe.bitrate_kbps()}},
                                   label + " " + number_text(q) + ": " + o_.metric + " " + fixed_text(score, 4) + ", " +
                                       fixed_text(probe.bitrate_kbps(), 1) + " kbps" +
                                       (probe.from_cache ? " [cached]" : ""));
        return probe;
    }

    Run &run_;
    const LadderRequest &o_;
    Source source_;
    const Adapter &adapter_;
    std::vector<double> targets_;
    JobState state_;
    std::unique_ptr<RowWriter> rows_;
    std::string error_; // of the last size that failed
    int failure_status_ = 0;
};

json ladder_json(const LadderWork &work, const std::vector<Rung> &rungs) {
    json document = {{"schema", "vmaf-tune-ladder/v1"},
                     {"src", work.source().path},
                     {"encoder", work.adapter().name},
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

// Every rung of the whole source, with key frames at the same times; HLS in segments, else as files.
void encode_rungs(Run &run, const LadderRequest &o, LadderWork &work, std::vector<Rung> &rungs,
                  const RungFiles &files) {
    for (Rung &rung : rungs) {
        run.check_interrupted();
        const ProbeSetup setup = work.setup_of({rung.point.width, rung.point.height});
        const std::string path = files.made(rung.name());
        Arguments command = encode_command(setup.programs, work.source(), {}, setup.encode, rung.point.q, 0, "", path);
        command.pop_back();
        append(command, {"-force_key_frames", "expr:gte(t,n_forced*" + number_text(o.segment_seconds) + ")"});
        append(command, work.adapter().container_tag("mp4"));
        files.complete(command, rung.name(), true);
        const Outcome outcome = run_child(command);
        run.check_interrupted();
        demand_success(outcome, rung.name() + ": the encoder", files.kept(rung.name()));
        demand_whole(setup.programs, outcome, path, frames_wished(work.source(), {}, run.options().vfilter),
                     files.kept(rung.name()));
        const Bandwidth made = files.bandwidth(setup.programs, rung.name(), work.source().rate.value());
        rung.peak_bps = made.peak_bps;
        rung.mean_bps = made.mean_bps;
        rung.index = files.index_of(rung.name());
        files.keep(rung.name());
        run.progress().say("encoded " + files.kept(rung.name()));
    }
}

constexpr Choice<RungSpacing> kSpacings[] = {
    {"log_bitrate", RungSpacing::log_bitrate}, {"vmaf", RungSpacing::vmaf}, {"uniform", RungSpacing::vmaf}};
constexpr Choice<LadderFormat> kLadderFormats[] = {
    {"json", LadderFormat::json}, {"hls", LadderFormat::hls}, {"dash", LadderFormat::dash}};

int run_ladder(const LadderRequest &o) {
    check_result(o, o.output);
    Run run(o, true);
    LadderWork work(run, o);
    const std::vector<FrameSize> sizes = rung_sizes(o, work.source());
    if (o.dry_run) {
        for (const FrameSize &size : sizes) print_probe_commands(work.setup_of(size), work.adapter().default_q);
        return kExitOk;
    }
    if (o.cluster.on_parts) {
        o.cluster.on_parts(work.parts(sizes));
        return kExitOk;
    }
    if (!o.cluster.part.empty()) return work.do_part(o.cluster.part, sizes);
    std::vector<RateCurve> curves;
    for (const FrameSize &size : sizes)
        if (RateCurve curve = work.measure(size); !curve.points.empty()) curves.push_back(std::move(curve));
    if (curves.empty())
        throw CommandError(work.exit_code(),
                           "no point could be measured" + (work.error().empty() ? "" : ": " + work.error()));
    if (!work.error().empty()) run.progress().warn("not every size could be measured: " + work.error());
    std::vector<RatePoint> at_targets;
    std::vector<double> wishes = work.targets();
    std::sort(wishes.begin(), wishes.end());
    for (const double target : wishes) {
        const auto rung = work.rung_at(target, curves);
        if (rung)
            at_targets.push_back(*rung);
        else
            run.progress().warn("no size reaches " + o.metric + " " + number_text(target) + "; the ladder ends below");
    }
    if (at_targets.empty()) // easier or harder than all targets: the best that was measured
        for (const RateCurve &curve : curves)
            for (const RatePoint &p : curve.points) at_targets.push_back(p);
    std::vector<RatePoint> usable;
    for (const RatePoint &p : at_targets)
        if ((!o.max_bitrate || p.kbps <= *o.max_bitrate) && (!o.min_bitrate || p.kbps >= *o.min_bitrate))
            usable.push_back(p);
    const std::vector<RatePoint> chosen =
        choose_rungs(rising(std::move(usable)), o.quality_tiers, o.spacing == RungSpacing::log_bitrate);
    if (chosen.empty()) throw CommandError(kExitUnmet, "no point lies between --min-bitrate and --max-bitrate");
    std::vector<Rung> rungs;
    for (const RatePoint &point : chosen) rungs.push_back(work.describe(point));
    const bool as_hls = o.format == LadderFormat::hls;
    std::vector<SideTrack> tracks;
    if (o.run) {
        const RungFiles files({o.output, o.overwrite, o.format, o.segment_seconds});
        encode_rungs(run, o, work, rungs, files);
        if (!o.video_only) tracks = make_side_tracks(run, work.source(), o.audio_codec, files);
    }
    const std::string text = as_hls ? hls_playlist(rungs, work.source(), tracks)
                             : o.format == LadderFormat::dash
                                 ? dash_manifest(rungs, work.source(), tracks)
                                 : ladder_json(work, rungs).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    write_result(o, o.output, text);
    work.finish();
    return kExitOk;
}

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
    bind_cluster(app, o.cluster);
}

CommandFiles files_of(const LadderRequest &o) {
    CommandFiles files = files_of(static_cast<const ProbeRequest &>(o));
    files.outputs.push_back(o.points);
    return files;
}

int run_ladder_anywhere(const LadderRequest &o) { return run_anywhere(o, "ladder", run_ladder); }

} // namespace

void add_ladder(Commands &commands) {
    commands.add<LadderRequest>({"ladder",
                                 "resolutions and bitrates to ship",
                                 {},
                                 "  vmaf-tune ladder -i film.mkv -e libx264 -o ladder.json\n"
                                 "  vmaf-tune ladder -i film.mkv --resolutions 1280x720,640x360 \\\n"
                                 "      --target-vmafs 95,85,70\n"
                                 "  vmaf-tune ladder -i film.mkv --format hls --run -o master.m3u8"},
                                bind_ladder, run_ladder_anywhere);
}

} // namespace vmaf::tune
