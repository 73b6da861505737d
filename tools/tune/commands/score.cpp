// `score`: existing files against a reference (tune.md 12.3).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/add_option.hpp"
#include "cli/complain.hpp"
#include "commands/commands.hpp"
#include "commands/quality_search.hpp"
#include "commands/score_output.hpp"
#include "commands/search_result.hpp"
#include "rows/row.hpp"
#include "stages/alignment_check.hpp"
#include "stages/conditions.hpp"
#include "stages/score_plan.hpp"
#include "stages/time_pairing.hpp"
#include "system/output_file.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

enum class FramePairing { automatic, time, index };
enum class Alignment { checked, corrected, none };

struct ScoreRequest : ProbeRequest, ClusterOptions {
    std::string reference;
    std::vector<std::string> distorted;
    std::string frames_out, start_offset, score_fps;
    std::vector<std::string> maps;
    FramePairing pair = FramePairing::automatic;
    Alignment align = Alignment::checked;
    std::int64_t num_frames = 0;
    std::optional<ScoreFormat> format;
};

json global_figures(const std::string &metric, const Series &values) {
    return {{"average", pooled_metric(metric, values, "mean")},
            {"median", pooled(values, "median")},
            {"stdev", standard_deviation(values)},
            {"min", pooled(values, "min")},
            {"max", pooled(values, "max")},
            {"harmonic_mean", pooled(values, "harmonic")}};
}

bool rates_differ(const Source &a, const Source &b) {
    const double first = a.rate.value(), second = b.rate.value();
    return first > 0 && second > 0 && std::fabs(first - second) > 0.001 * first;
}

std::int64_t count_frames(Run &run, const Source &source) {
    if (source.kind != Source::Kind::container) return source.frame_count();
    return video_packets(run.programs().ffprobe, source.path, source.stream).packets;
}

// How frames of a distorted file are paired with the reference's.
class Pairing {
  public:
    Pairing(Run &run, const ScoreRequest &own, const Source &reference, const Source &distorted,
            const ScoreSettings &settings)
        : run_(run), own_(own), reference_(reference), distorted_(distorted), settings_(settings) {
        const ProbeRequest &o = run_.options();
        ref_frames_ = count_frames(run_, reference_);
        dist_frames_ = count_frames(run_, distorted_);
        by_time_ =
            own_.pair == FramePairing::time || (own_.pair == FramePairing::automatic && own_.score_fps.empty() &&
                                                o.dist_delay == 0 && (reference_.vfr || distorted_.vfr) &&
                                                (ref_frames_ != dist_frames_ || rates_differ(reference_, distorted_)));
        if (by_time_)
            pair_times();
        else
            check_rates();
        settle_alignment();
        if (!by_time_) check_counts();
    }

    bool is_by_time() const { return by_time_; }
    std::int64_t late() const { return late_; } // frames by which the distorted file was late

    ScorePair pair() const {
        ScorePair pair{&reference_, {}, &distorted_, {}, 0, 0, 0, {}, {}};
        std::int64_t start = 0;
        if (own_.start_offset.starts_with("f:"))
            start = std::strtoll(own_.start_offset.c_str() + 2, nullptr, 10);
        else if (!own_.start_offset.empty())
            start = std::llround(parse_duration(own_.start_offset) * reference_.rate.value());
        if (by_time_) {
            const auto part = [&](const std::vector<std::int64_t> &all) {
                const std::int64_t first = std::min<std::int64_t>(start, std::ssize(all));
                const std::int64_t left = std::ssize(all) - first;
                return std::vector(all.begin() + first,
                                   all.begin() + first +
                                       (own_.num_frames > 0 ? std::min(left, own_.num_frames) : left));
            };
            pair.reference_order = part(order_.reference);
            pair.distorted_order = part(order_.distorted);
            pair.expected_frames = std::ssize(pair.reference_order);
        } else {
            pair.skip_reference = start + std::max<std::int64_t>(0, -late_);
            pair.skip_distorted = start + std::max<std::int64_t>(0, late_);
            pair.reference_window.frames = pair.distorted_window.frames = own_.num_frames;
        }
        return pair;
    }

    std::int64_t frames() const { // to be scored, approximately
        if (by_time_) return std::ssize(order_.reference);
        const std::int64_t common = std::min(ref_frames_, dist_frames_), wish = own_.num_frames;
        return wish > 0 ? std::min(common, wish) : common;
    }

  private:
    void check_rates() const {
        if (!own_.score_fps.empty() || !rates_differ(reference_, distorted_)) return;
        throw CommandError(kExitFailed, "the reference has " + reference_.rate.text() + " frames/s, '" +
                                            distorted_.path + "' " + distorted_.rate.text() +
                                            "; frames of different rates cannot be paired by number: use --pair time, "
                                            "convert one of them, or give --score-fps if only the tags are wrong");
    }

    void pair_times() {
        try {
            ref_times_ = frame_times(run_.programs(), reference_);
            dist_times_ = frame_times(run_.programs(), distorted_);
        } catch (const Error &e) {
            throw CommandError(kExitFailed, e.what());
        }
        order_ = pair_by_time(ref_times_, dist_times_, 0);
        if (order_.is_out_of_step || order_.reference.empty())
            throw CommandError(kExitFailed, "most frames of '" + distorted_.path + "' (" + distorted_.rate.text() +
                                                " frames/s) and the reference (" + reference_.rate.text() +
                                                ") are shown at different times; convert one of them");
        const PairingCounts &c = order_.counts;
        run_.progress().say("vmaf-tune: frames are paired by time: " + std::to_string(c.pairs) + " pairs, " +
                            std::to_string(c.unpaired_reference) + " frames of the reference and " +
                            std::to_string(c.unpaired_distorted) + " of '" + distorted_.path + "' have no partner");
    }

    // Refuses files that are out of step, or finds the offset (--align).
    void settle_alignment() {
        const ProbeRequest &o = run_.options();
        if (own_.align == Alignment::none || o.dist_delay != 0) return;
        const AlignmentReport report = check_alignment(run_.programs(), reference_, settings_.reference_filter,
                                                       distorted_, by_time_ ? &order_ : nullptr);
        if (report.levels != LevelChange::none)
            run_.progress().warn(
                "'" + distorted_.path + "' has " + (report.levels == LevelChange::widened ? "a wider" : "a narrower") +
                " range of levels than the reference, as after a wrong conversion between limited and full range");
        const std::string sentence = report.sentence(distorted_.path, 1 / seconds_between_pairs());
        if (sentence.empty()) return;
        const bool is_offset = report.verdict == AlignmentReport::Verdict::offset;
        if (own_.align == Alignment::corrected && is_offset) {
            run_.progress().warn(sentence + "; that is corrected");
            late_ = report.offset;
            if (by_time_)
                order_ =
                    pair_by_time(ref_times_, dist_times_, std::llround(double(late_) * 1e9 / reference_.rate.value()));
            return;
        }
        throw CommandError(kExitFailed,
                           sentence + (is_offset
                                           ? "; use --align auto to correct that, or --align none to score it as it is"
                                           : "; use --align none to score it all the same"));
    }

    double seconds_between_pairs() const {
        const std::int64_t pairs = std::ssize(order_.reference);
        if (pairs < 2) return reference_.rate.value() > 0 ? 1 / reference_.rate.value() : 0.04;
        const auto time = [&](std::int64_t number) { return ref_times_[static_cast<std::size_t>(number)]; };
        return double(time(order_.reference.back()) - time(order_.reference.front())) / 1e9 / double(pairs - 1);
    }

    void check_counts() const {
        const ProbeRequest &o = run_.options();
        if (ref_frames_ <= 0 || dist_frames_ <= 0 || std::llabs(ref_frames_ - dist_frames_) <= 1 || o.allow_short ||
            own_.num_frames > 0 || o.dist_delay != 0 || late_ != 0)
            return;
        throw CommandError(kExitFailed,
                           "frame count mismatch: reference " + std::to_string(ref_frames_) + ", distorted " +
                               std::to_string(dist_frames_) +
                               "; check for dropped or repeated frames, use --allow-short to score the common "
                               "part, or use --pair time");
    }

    Run &run_;
    const ScoreRequest &own_;
    const Source &reference_, &distorted_;
    const ScoreSettings &settings_;
    std::int64_t ref_frames_ = 0, dist_frames_ = 0, late_ = 0;
    bool by_time_ = false;
    std::vector<std::int64_t> ref_times_, dist_times_;
    FrameOrder order_;
};

std::string size_text(const Source &s) { return std::to_string(s.width) + "x" + std::to_string(s.height); }

void print_commands_of(Run &run, const ScorePair &pair, const ScoreSettings &settings) {
    const ScorePlan plan = plan_score(run.programs(), pair, settings);
    print_line(shell_quoted(decode_command(run.programs(), *pair.reference, {}, plan.reference_filter,
                                           plan.reference_format, settings.drop_film_grain, "REFERENCE.yuv")));
    print_line(shell_quoted(decode_command(run.programs(), *pair.distorted, {}, plan.distorted_filter,
                                           plan.distorted_format, settings.drop_film_grain, "DISTORTED.yuv")));
    Arguments scorer = scorer_command(run.programs(), plan, settings, "SCORES.json");
    append(scorer, {"--reference", "REFERENCE.yuv", "--distorted", "DISTORTED.yuv", "--width",
                    std::to_string(plan.size.width), "--height", std::to_string(plan.size.height), "--pixel_format",
                    std::to_string(plan.layout.chroma), "--bitdepth", std::to_string(plan.layout.bits)});
    print_line(shell_quoted(scorer));
}

void print_commands(Run &run, const ScorePair &pair, const ScoreSettings &settings) {
    for (const std::vector<MetricChoice> &metrics : groups_by_size(run.programs(), pair, settings)) {
        ScoreSettings one = settings;
        one.metrics = metrics;
        print_commands_of(run, pair, one);
    }
}

json result_json(const Source &reference, const Source &distorted, const ScoreSettings &settings,
                 const ScoreResult &scored, const Pairing &pairing) {
    json entry = {{"reference", reference.path},
                  {"distorted", distorted.path},
                  {"model", scored.model},
                  {"models", scored.models},
                  {"metric", settings.metrics.front().name},
                  {"framerate", reference.rate.value()},
                  {"reference_vfilter", reference.shown(settings.reference_filter)},
                  {"score_backend", scored.backend_used},
                  {"score_scale", scored.scale_note},
                  {"conditions", {{"metrics", measured_json(scored.measured)}}},
                  {"scored", measured_text(scored.measured, {reference.width, reference.height}, settings.scaler) +
                                 decoded_text(scored.decoded_by)},
                  {"decoded_by", decoded_json(scored.decoded_by)},
                  {"scored_frames", scored.frames},
                  {"pairing", pairing.is_by_time() ? "time" : "index"},
                  {"alignment_frames", pairing.late()},
                  {"global", json::object()},
                  {"frames", json::object()}};
    for (const MetricChoice &metric : settings.metrics) {
        const Series &values = scored.series.at(metric.series);
        entry["global"][metric.name] = global_figures(metric.name, values);
        entry["frames"][metric.name] = values;
    }
    return entry;
}

// Locations and sizes of maps, for `report`.
void add_map(json &entry, const ScoreRequest &o, const ScoreResult &scored) {
    const json map = json::parse(scored.map, nullptr, false);
    if (!map.is_object()) return;
    entry["map"] = map;
    if (const auto measured = scored.measured.find(map.value("score", "")); measured != scored.measured.end()) {
        entry["map"]["width"] = measured->second.size.width;
        entry["map"]["height"] = measured->second.size.height;
    }
    entry["map"]["files"] = o.maps;
    for (const std::string &path : o.maps)
        if (path.ends_with(".npy")) entry["map"]["file"] = path;
}

void use_maps(const ScoreRequest &o, ScoreSettings &settings) {
    if (o.maps.empty()) return;
    if (o.distorted.size() > 1) throw usage_error("--map is for one encode; score several in several runs");
    if (std::ranges::none_of(settings.metrics, [](const MetricChoice &metric) { return metric.feature.empty(); }))
        throw usage_error("--map shows VMAF; add it with --also vmaf");
    settings.maps = o.maps;
}

constexpr Choice<ScoreFormat> kScoreFormats[] = {
    {"human", ScoreFormat::human}, {"json", ScoreFormat::json}, {"csv", ScoreFormat::csv}, {"xml", ScoreFormat::xml}};
constexpr Choice<FramePairing> kPairings[] = {
    {"auto", FramePairing::automatic}, {"time", FramePairing::time}, {"index", FramePairing::index}};
constexpr Choice<Alignment> kAlignments[] = {
    {"check", Alignment::checked}, {"auto", Alignment::corrected}, {"none", Alignment::none}};

ScoreSettings score_settings_of(Run &run, const ScoreRequest &o) {
    ScoreSettings settings = run.score_settings();
    settings.reference_filter = o.reference_vfilter.value_or(o.vfilter);
    use_maps(o, settings);
    return settings;
}

Source reference_of(Run &run, const ScoreRequest &o) {
    Source reference = run.open_source(o.reference);
    if (!o.score_fps.empty()) reference.rate = reference.real_rate = parse_fraction(o.score_fps);
    return reference;
}

// Scores each encode.
class ScoreJob : public Job {
  public:
    explicit ScoreJob(const ScoreRequest &o)
        : Job(checked(o)), o_(o), settings_(score_settings_of(run_, o_)), reference_(reference_of(run_, o_)) {}

    void print_commands() override {
        for (const std::string &path : o_.distorted) {
            const Source distorted = run_.open_source(path);
            tune::print_commands(run_, {&reference_, {}, &distorted, {}}, settings_);
        }
    }

    std::vector<json> next(const JobRows &so_far) override {
        if (!so_far.empty()) return {};
        run_.progress().expect(o_.distorted.size());
        return {o_.distorted.begin(), o_.distorted.end()};
    }

    std::vector<json> run(const json &unit, const JobRows &) override {
        const std::string path = unit;
        const Pinned pinned(o_.cpus.empty() ? std::vector<int>() : parse_processors(o_.cpus));
        const Source distorted = run_.open_source(path);
        const Pairing pairing(run_, o_, reference_, distorted, settings_);
        StageProgress progress{
            Stage::score, std::numeric_limits<double>::quiet_NaN(), 0, 1, 0, pairing.frames(), 0, false, 0};
        const ScoreResult scored =
            run_score(run_.programs(), pairing.pair(), settings_, [&](std::int64_t frame, double fps) {
                progress.frame = frame;
                progress.fps = fps;
                run_.progress().stage(path, progress);
            });
        run_.check_interrupted();
        for (const std::string &warning : scored.warnings) run_.progress().warn(warning);
        if (!scored.ok()) {
            const std::string sentence = path + ": " + scored.outcome.sentence;
            Progress::make_way();
            complain("score", sentence);
            return {{{"exit_status", scored.outcome.row_status()}, {"error", sentence}}};
        }
        for (const Source *source : {&reference_, &distorted}) demand_unchanged(*source);
        if (reference_.width != distorted.width || reference_.height != distorted.height)
            run_.progress().say("vmaf-tune: '" + path + "' is " + size_text(distorted) + ", the reference " +
                                size_text(reference_) + "; it was scaled to that");
        json row = result_json(reference_, distorted, settings_, scored, pairing);
        add_map(row, o_, scored);
        return {row};
    }

    Answer result(const JobRows &units) override {
        Answer answer;
        json results = json::array();
        std::string frames;
        for (const UnitRows &unit : units)
            for (const json &row : unit.rows) {
                if (const auto status = row.find("exit_status"); status != row.end()) {
                    answer.exit_code = worse(answer.exit_code, outcome_of_row(*status, "").exit_code());
                    if (o_.executor != ExecutorKind::local) // otherwise already printed
                        answer.say("vmaf-tune score: " + row.at("error").get<std::string>());
                    continue;
                }
                results.push_back(row);
                frames += json_line(row) + "\n";
            }
        const ScoreFormat format = o_.format.value_or(o_.json ? ScoreFormat::json : ScoreFormat::human);
        answer.text = deliver(o_, o_.output, score_text(results, format));
        if (!o_.frames_out.empty()) write_result(o_, o_.frames_out, frames);
        return answer;
    }

  private:
    static const ScoreRequest &checked(const ScoreRequest &o) {
        check_result(o, o.output);
        check_result(o, o.frames_out);
        return o;
    }

    const ScoreRequest o_;
    const ScoreSettings settings_;
    const Source reference_;
};

void bind_score_command(CLI::App &app, ScoreRequest &o) {
    add_option(app, "reference,--reference", o.reference, "reference video")->required();
    add_option(app, "distorted,--distorted", o.distorted, "videos to score")->required();
    bind_plain_files(app, o);
    bind_programs(app, o);
    bind_score(app, o);
    bind_running(app, o);
    add_choice(app, "--format", o.format, kScoreFormats, "format of the result");
    add_option(app, "--num-frames", o.num_frames, "score N frames only")->check(CLI::Range(1, 1 << 30));
    add_option(app, "--start-offset", o.start_offset, "start in both files: a time, or f:N for a frame");
    add_choice(app, "--pair", o.pair, kPairings,
               "pair frames by number (index), by time, or by time if a file has a variable rate (auto)");
    add_option(app, "--frames", o.frames_out, "write per-frame values as JSON lines");
    add_option(app, "--map", o.maps,
               "write where VMAF is lost: .npy (for report), .png, .y4m or .csv; may be repeated");
    add_option(app, "--vfilter", o.vfilter, "filter for the reference");
    add_option(app, "--score-fps", o.score_fps, "pair by number although the tagged rates differ");
    add_choice(app, "--align", o.align, kAlignments, "refuse an offset, correct one of up to 2 s, or ignore it");
    add_option(app, "--reference-vfilter", o.reference_vfilter, "same as --vfilter");
    bind_cluster(app, o);
}

CommandFiles files_of(const ScoreRequest &o) {
    CommandFiles files = files_of(static_cast<const ProbeRequest &>(o));
    files.inputs.push_back({"the reference", o.reference});
    for (const std::string &path : o.distorted) files.inputs.push_back({"the encode", path});
    files.outputs.push_back(o.frames_out);
    files.outputs.insert(files.outputs.end(), o.maps.begin(), o.maps.end());
    return files;
}

} // namespace

void add_score(Commands &commands) {
    commands.add_job<ScoreJob, ScoreRequest>({"score",
                                              "score existing files against a reference",
                                              {"vmaf", "metrics"},
                                              "  vmaf-tune score film.mkv encode.mkv\n"
                                              "  vmaf-tune score film.mkv encode.mkv --metrics vmaf,psnr,ssimulacra2\n"
                                              "  vmaf-tune score film.mkv encode.mkv --align auto --format csv"},
                                             bind_score_command);
}

} // namespace vmaf::tune
