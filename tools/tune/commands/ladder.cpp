// `ladder`: which resolutions and bitrates to ship (tune.md 12.12). The source is scaled to each rung before it is
// encoded, and the decoded rung is scaled back for scoring.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "base/error.hpp"
#include "commands/commands.hpp"
#include "commands/job_state.hpp"
#include "commands/manifest.hpp"
#include "commands/search_hints.hpp"
#include "commands/search_result.hpp"
#include "rows/row.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::vector<FrameSize> rung_sizes(const Options &o, const Source &source) {
    std::vector<FrameSize> sizes;
    std::istringstream list(o.resolutions.empty() ? "1920x1080,1280x720,854x480,640x360,426x240" : o.resolutions);
    for (std::string item; std::getline(list, item, ',');) {
        FrameSize size;
        char end = 0;
        if (std::sscanf(item.c_str(), "%dx%d%c", &size.width, &size.height, &end) != 2 || size.width < 16 ||
            size.height < 16 || size.width % 2 || size.height % 2)
            throw usage_error("--resolutions: '" + item + "' is not an even WxH");
        if (size.width <= source.width && size.height <= source.height)
            sizes.push_back(size);
        else if (!o.resolutions.empty())
            throw usage_error("--resolutions: " + item + " is larger than the source");
    }
    if (sizes.empty()) sizes.push_back({source.width - source.width % 2, source.height - source.height % 2});
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
    LadderWork(Run &run, const Options &o)
        : run_(run), o_(o), source_(run.open_source(o.sources.at(0))),
          adapter_(run.adapter(o.encoders.empty() ? "libx264" : o.encoders.front())),
          targets_(target_list(o.target_vmafs)), state_(run, "ladder", source_.id) {
        if (!o.points.empty())
            rows_ = std::make_unique<RowWriter>(o.points,
                                                o.overwrite ? RowWriter::Mode::overwrite : RowWriter::Mode::fresh);
    }

    const Source &source() const { return source_; }
    const Adapter &adapter() const { return adapter_; }

    ProbeSetup setup_of(FrameSize size) {
        ProbeSetup setup = run_.setup(source_, adapter_, o_.presets.empty() ? "" : o_.presets.front(), true);
        if (size.width == source_.width && size.height == source_.height) return setup;
        const std::string scale = "scale=" + std::to_string(size.width) + ":" + std::to_string(size.height) +
                                  ":flags=" + o_.scaler + ",setsar=1";
        setup.encode_size = size;
        setup.encode.vfilter = o_.vfilter.empty() ? scale : o_.vfilter + "," + scale;
        setup.score.reference_filter = o_.reference_vfilter.value_or(o_.vfilter);
        return setup;
    }

    // All points of one size; probes serve all its targets. What an interrupted run had finished is taken over.
    std::vector<RatePoint> measure(FrameSize size) {
        const ProbeSetup setup = setup_of(size);
        std::vector<QualityTarget> all;
        for (const double value : targets_) all.push_back({o_.metric, o_.pool, value});
        const std::string key = search_identity(setup, o_, all);
        json stored = state_.find(key).value_or(json());
        if (stored.is_null()) {
            stored = {{"points", json::array()}, {"rows", json::array()}};
            QualitySearch search(run_, o_, setup, all, 1);
            std::optional<double> hint;
            SearchReport report;
            for (const QualityTarget &target : all) {
                report = search.find({target}, hint);
                if (report.failed) {
                    error_ = report.error;
                    failure_status_ = report.failure_status;
                    break;
                }
                hint = report.q;
            }
            for (const ProbeResult &probe : report.probes) {
                if (!probe.ok() || probe.samples.size() < setup.samples.size()) continue;
                stored["points"].push_back(
                    {probe.bitrate_kbps(), probe_score(setup, probe, o_.metric, o_.pool), probe.q});
                stored["rows"].push_back(make_row(setup, probe));
            }
            if (!report.failed) state_.store(key, stored);
        }
        std::vector<RatePoint> points;
        for (const json &p : stored["points"]) points.push_back({p[0], p[1], size.width, size.height, p[2]});
        if (rows_)
            for (const json &row : stored["rows"]) rows_->write(row);
        return points;
    }

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
    Run &run_;
    const Options &o_;
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
void encode_rungs(Run &run, const Options &o, LadderWork &work, const std::vector<Rung> &rungs, bool as_hls) {
    const fs::path folder = o.output.empty() || o.output == "-" ? fs::path(".") : fs::absolute(o.output).parent_path();
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    for (const Rung &rung : rungs) {
        run.check_interrupted();
        const ProbeSetup setup = work.setup_of({rung.point.width, rung.point.height});
        const std::string path = (folder / (rung.name() + (as_hls ? ".m3u8" : ".mp4"))).string();
        if (fs::exists(path) && !o.overwrite)
            throw CommandError(kExitOutput, "'" + path + "' exists; use --overwrite or another --output");
        Arguments command = encode_command(setup.programs, work.source(), {}, setup.encode, rung.point.q, 0, "", path);
        command.pop_back();
        append(command, {"-force_key_frames", "expr:gte(t,n_forced*" + number_text(o.segment_seconds) + ")"});
        append(command, work.adapter().container_tag("mp4"));
        if (as_hls)
            append(command, {"-f", "hls", "-hls_time", number_text(o.segment_seconds), "-hls_playlist_type", "vod",
                             "-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", rung.name() + "_init.mp4",
                             "-hls_segment_filename", (folder / (rung.name() + "_%05d.m4s")).string()});
        else
            append(command, {"-movflags", "+faststart"});
        command.push_back(as_hls ? path : ffmpeg_path(path));
        const Outcome outcome = run_child(command);
        run.check_interrupted();
        if (!outcome.ok())
            throw CommandError(kExitFailed,
                               rung.name() + ": " + explain_failure("the encoder", outcome.code, outcome.error_tail));
        run.progress().say("encoded " + path);
    }
}

} // namespace

int run_ladder(const Options &o) {
    check_result(o, o.output);
    Run run(o, true);
    LadderWork work(run, o);
    const std::vector<FrameSize> sizes = rung_sizes(o, work.source());
    if (o.dry_run) {
        for (const FrameSize &size : sizes) print_probe_commands(work.setup_of(size), work.adapter().default_q);
        return kExitOk;
    }
    std::vector<RatePoint> points;
    for (const FrameSize &size : sizes)
        for (const RatePoint &point : work.measure(size)) points.push_back(point);
    if (points.empty())
        throw CommandError(work.exit_code(),
                           "no point could be measured" + (work.error().empty() ? "" : ": " + work.error()));
    if (!work.error().empty()) run.progress().warn("not every size could be measured: " + work.error());
    std::vector<RatePoint> usable;
    for (const RatePoint &p : points)
        if ((!o.max_bitrate || p.kbps <= *o.max_bitrate) && (!o.min_bitrate || p.kbps >= *o.min_bitrate))
            usable.push_back(p);
    const std::vector<RatePoint> chosen = choose_rungs(upper_hull(usable), o.quality_tiers, o.spacing == "log_bitrate");
    if (chosen.empty()) throw CommandError(kExitUnmet, "no point lies between --min-bitrate and --max-bitrate");
    std::vector<Rung> rungs;
    for (const RatePoint &point : chosen) rungs.push_back(work.describe(point));
    const std::string format = o.format.empty() ? "json" : o.format;
    if (o.run) encode_rungs(run, o, work, rungs, format == "hls");
    const std::string text = format == "hls" ? hls_playlist(rungs, work.source())
                             : format == "dash"
                                 ? dash_manifest(rungs, work.source())
                                 : ladder_json(work, rungs).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    write_result(o, o.output, text);
    work.finish();
    return kExitOk;
}

} // namespace vmaf::tune
