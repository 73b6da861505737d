#include "stages/score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/error.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::vector<MetricChoice> &metric_table() {
    static const std::vector<MetricChoice> table = {
        {"vmaf", "vmaf", "", false, true, 95},
        {"vmaf_neg", "vmaf", "", false, true, 95},
        {"ssimulacra2", "ssimulacra2", "ssimulacra2", false, true, 80},
        {"psnr", "psnr_y", "psnr", false, false, 42},
        {"psnr_hvs", "psnr_hvs", "psnr_hvs", false, false, 42},
        {"ssim", "float_ssim", "float_ssim", false, false, 0.98},
        {"ms_ssim", "float_ms_ssim", "float_ms_ssim", false, false, 0.98},
        {"cambi", "cambi", "cambi", true, false, 5},
    };
    return table;
}

int even(double value) { return std::max(2, 2 * static_cast<int>(std::lround(value / 2))); }

// Decodes to raw planes on standard output. Raw rather than YUV4MPEG2: the latter's 8-bit 4:2:2 is resampled on
// reading.
Arguments decode_command(const Programs &programs, const Source &source, const Window &window,
                         const std::string &filter, const std::string &pix_fmt, bool drop_grain) {
    Arguments command = {programs.ffmpeg, "-hide_banner", "-nostdin", "-v", "error"};
    append(command, source.input_arguments());
    if (drop_grain && source.codec == "av1") append(command, {"-export_side_data", "film_grain"});
    if (window.start > 0) append(command, {"-ss", number_text(window.start)});
    append(command, {"-i", ffmpeg_path(source.path), "-map", "0:v:" + std::to_string(source.stream)});
    if (!window.full()) append(command, {"-frames:v", std::to_string(window.frames)});
    if (!filter.empty()) append(command, {"-vf", filter});
    append(command, {"-fps_mode", "passthrough", "-pix_fmt", pix_fmt, "-f", "rawvideo", "-"});
    return command;
}

// Size of a filtered source: asked of FFmpeg itself, from the header of one frame.
FrameSize filtered_size(const Programs &programs, const Source &source, const std::string &filter) {
    if (filter.empty()) return {source.width, source.height};
    Arguments command = {programs.ffmpeg, "-hide_banner", "-nostdin", "-v", "error"};
    append(command, source.input_arguments());
    append(command, {"-i", ffmpeg_path(source.path), "-map", "0:v:" + std::to_string(source.stream), "-frames:v", "1",
                     "-vf", filter, "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", "-"});
    const Outcome outcome = run_child(command);
    int w = 0, h = 0;
    if (!outcome.ok() || std::sscanf(outcome.out.c_str(), "YUV4MPEG2 W%d H%d", &w, &h) != 2)
        throw invalid("the filter '" + filter + "' cannot be applied to '" + source.path + "': " + outcome.error_tail);
    return {w, h};
}

// Moves a descriptor out of the low numbers, so that the child's copies cannot collide with it.
int raised(int fd) {
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, 64);
    ::close(fd);
    return high;
}

std::string joined(const std::vector<std::string> &filters) {
    std::string chain;
    for (const std::string &f : filters)
        if (!f.empty() && f != "copy" && f != "null") chain += (chain.empty() ? "" : ",") + f;
    return chain;
}

bool is_full(const std::string &range) { return range == "pc" || range == "full"; }

struct Plan {
    FrameSize size;
    PixelLayout layout;
    std::string reference_filter, distorted_filter, model, note;
    std::vector<std::string> warnings;
};

Plan make_plan(const Programs &programs, const ScorePair &pair, const ScoreSettings &settings) {
    Plan plan;
    const Source &ref = *pair.reference, &dist = *pair.distorted;
    const FrameSize ref_size = filtered_size(programs, ref, settings.reference_filter);
    const FrameSize dist_size = {dist.width, dist.height};
    const bool hdr = ref.hdr.transfer != Hdr::Transfer::none;
    const auto lines = [&](FrameSize s) {
        return chosen_model(settings, s, hdr).find("4k") != std::string::npos ? 2160 : 1080;
    };
    if (settings.scale == "none" && !(ref_size == dist_size))
        throw invalid("the reference is " + std::to_string(ref_size.width) + "x" + std::to_string(ref_size.height) +
                      ", the distorted video " + std::to_string(dist_size.width) + "x" +
                      std::to_string(dist_size.height) + "; use --score-scale auto, or filter one of them");
    plan.size = scored_size(ref_size, settings.scale, lines(ref_size));
    plan.model = chosen_model(settings, plan.size, hdr);
    const auto layout_of = [](const Source &s) {
        return pixel_layout(s.pix_fmt).value_or(PixelLayout{444, 10}); // RGB and the like: nothing is lost
    };
    plan.layout = deeper_layout(layout_of(ref), layout_of(dist));
    if (plan.layout.chroma == 400) plan.layout.chroma = 420;

    const auto scale_to = [&](FrameSize from, FrameSize to, bool convert_range) -> std::string {
        if (from == to && !convert_range) return {};
        std::string text = "scale=" + std::to_string(to.width) + ":" + std::to_string(to.height) +
                           ":flags=" + settings.scaler + "+accurate_rnd+full_chroma_int";
        if (convert_range) text += is_full(ref.range) ? ":in_range=tv:out_range=pc" : ":in_range=pc:out_range=tv";
        return text + ",setsar=1";
    };
    const bool ranges_known =
        !ref.range.empty() && !dist.range.empty() && ref.range != "unknown" && dist.range != "unknown";
    const bool ranges_differ = ranges_known && is_full(ref.range) != is_full(dist.range);
    if (ranges_differ)
        plan.warnings.push_back("the reference has " + ref.range + " range, the distorted video " + dist.range +
                                "; the distorted video is converted");
    const auto known = [](const std::string &tag) { return !tag.empty() && tag != "unknown" && tag != "unspecified"; };
    if (known(ref.matrix) && known(dist.matrix) && ref.matrix != dist.matrix)
        plan.warnings.push_back("the reference is tagged with the colour matrix " + ref.matrix +
                                ", the distorted video with " + dist.matrix + "; samples are compared as they are");
    if (ref.field_order != "progressive" && ref.field_order != "unknown")
        plan.warnings.push_back("the reference is interlaced (" + ref.field_order +
                                "); VMAF expects progressive pictures: consider --vfilter bwdif");
    // A rung of a ladder goes to the reference's size first.
    std::vector<std::string> dist_filters;
    if (!(dist_size == ref_size) || ranges_differ) dist_filters.push_back(scale_to(dist_size, ref_size, ranges_differ));
    if (!(ref_size == plan.size)) dist_filters.push_back(scale_to(ref_size, plan.size, false));
    plan.distorted_filter = joined(dist_filters);
    plan.reference_filter = joined({settings.reference_filter, scale_to(ref_size, plan.size, false)});
    plan.note = ref_size == plan.size && dist_size == plan.size
                    ? "none"
                    : std::to_string(plan.size.width) + "x" + std::to_string(plan.size.height) + ":" + settings.scaler;
    return plan;
}

Arguments scorer_command(const Programs &programs, const Plan &plan, const ScoreSettings &settings,
                         const std::string &document) {
    Arguments command;
    if (settings.scorer == "binary")
        command = {programs.vmaf};
    else
        command = {fs::read_symlink("/proc/self/exe").string(), "__vmaf"};
    append(command, {"--reference",    "/dev/fd/10",
                     "--distorted",    "/dev/fd/11",
                     "--width",        std::to_string(plan.size.width),
                     "--height",       std::to_string(plan.size.height),
                     "--pixel_format", std::to_string(plan.layout.chroma),
                     "--bitdepth",     std::to_string(plan.layout.bits),
                     "--quiet",        "--json",
                     "--output",       document,
                     "--precision",    "max",
                     "--threads",      std::to_string(settings.threads)});
    if (settings.subsample > 1) append(command, {"--subsample", std::to_string(settings.subsample)});
    const bool needs_model = std::any_of(settings.metrics.begin(), settings.metrics.end(),
                                         [](const MetricChoice &m) { return m.feature.empty(); });
    if (needs_model)
        append(command, {"--model", plan.model + ":name=vmaf"});
    else
        command.push_back("--no_prediction");
    for (const MetricChoice &metric : settings.metrics)
        if (!metric.feature.empty()) append(command, {"--feature", metric.feature});
    append(command, {"--backend", settings.backend});
    return command;
}

void read_document(const std::string &path, ScoreResult &result) {
    std::ifstream file(path);
    const json document = json::parse(file, nullptr, false);
    if (!document.is_object() || !document.contains("frames") || !document["frames"].is_array()) {
        result.status = 565;
        result.error = "the scorer's document cannot be understood";
        return;
    }
    result.backend_used = document.value("backend_used", std::string("cpu"));
    result.scorer_version = document.value("version", std::string("unknown"));
    for (const json &frame : document["frames"]) {
        if (!frame.contains("metrics")) continue;
        for (const auto &[name, value] : frame["metrics"].items())
            result.series[name].push_back(value.is_number() ? value.get<double>() : std::nan(""));
    }
    result.frames = static_cast<std::int64_t>(document["frames"].size());
}

} // namespace

std::optional<MetricChoice> metric_choice(const std::string &name) {
    for (const MetricChoice &metric : metric_table())
        if (metric.name == name) return metric;
    return std::nullopt;
}

std::vector<std::string> metric_names() {
    std::vector<std::string> names;
    for (const MetricChoice &metric : metric_table()) names.push_back(metric.name);
    return names;
}

FrameSize scored_size(FrameSize size, const std::string &scale, int model_lines) {
    if (scale == "none") return size;
    FrameSize bound;
    if (scale == "auto") {
        bound = model_lines >= 2160 ? FrameSize{3840, 2160} : FrameSize{1920, 1080};
        if (size.width >= 0.9 * bound.width || size.height >= 0.9 * bound.height) return size;
    } else if (std::sscanf(scale.c_str(), "%dx%d", &bound.width, &bound.height) != 2 || bound.width < 16 ||
               bound.height < 16 || bound.width > 16384 || bound.height > 16384) {
        throw invalid("--score-scale " + scale + " is not understood; use auto, none or WxH");
    }
    const double factor = std::min(double(bound.width) / size.width, double(bound.height) / size.height);
    return {std::min(bound.width, even(size.width * factor)), std::min(bound.height, even(size.height * factor))};
}

std::string chosen_model(const ScoreSettings &settings, FrameSize scored, bool) {
    if (settings.model != "auto")
        return settings.model.find('=') != std::string::npos ? settings.model : "version=" + settings.model;
    const bool is_4k = scored.height >= 2160 || scored.width >= 3840;
    const bool neg = !settings.metrics.empty() && settings.metrics.front().name == "vmaf_neg";
    return std::string("version=vmaf_") + (is_4k ? "4k_" : "") + "v0.6.1" + (neg ? "neg" : "");
}

PixelLayout deeper_layout(const PixelLayout &a, const PixelLayout &b) {
    const int bits = std::max(a.bits, b.bits);
    return {std::max(a.chroma, b.chroma), bits <= 8 ? 8 : bits <= 10 ? 10 : bits <= 12 ? 12 : 16};
}

ScoreResult run_score(const Programs &programs, const ScorePair &pair, const ScoreSettings &settings) {
    ScoreResult result;
    const auto fail = [&](int status, const std::string &error, const std::string &tail) {
        result.status = status;
        result.error = error;
        result.error_tail = tail;
        return result;
    };
    const std::string document = settings.work_folder + "/scores-" +
                                 std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + ".json";
    try {
        const Plan plan = make_plan(programs, pair, settings);
        result.model = plan.model;
        result.scale_note = plan.note;
        result.warnings = plan.warnings;
        const std::string pix_fmt = pix_fmt_name(plan.layout);
        Window ref_window = pair.reference_window, dist_window = pair.distorted_window;
        if (settings.dist_delay > 0) ref_window.start += settings.dist_delay;
        if (settings.dist_delay < 0) dist_window.start -= settings.dist_delay;

        const auto trimmed = [](std::int64_t frames, const std::string &filter) {
            return frames > 0 ? joined({"trim=start_frame=" + std::to_string(frames) + ",setpts=PTS-STARTPTS", filter})
                              : filter;
        };
        const auto start = std::chrono::steady_clock::now();
        PipedChild reference(decode_command(programs, *pair.reference, ref_window,
                                            trimmed(pair.skip_reference, plan.reference_filter), pix_fmt,
                                            settings.drop_film_grain));
        PipedChild distorted(decode_command(programs, *pair.distorted, dist_window,
                                            trimmed(pair.skip_distorted, plan.distorted_filter), pix_fmt,
                                            settings.drop_film_grain));
        const int ref_fd = raised(reference.release_output()), dist_fd = raised(distorted.release_output());
        RunOptions options;
        options.inherited = {{ref_fd, 10}, {dist_fd, 11}};
        options.timeout = settings.timeout;
        options.progress_marker = processor_time; // a scorer says nothing until it ends
        Outcome scorer;
        try {
            scorer = run_child(scorer_command(programs, plan, settings, document), options);
        } catch (...) {
            ::close(ref_fd);
            ::close(dist_fd);
            throw;
        }
        ::close(ref_fd);
        ::close(dist_fd);
        const Outcome ref_end = reference.wait(), dist_end = distorted.wait();
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

        const auto broken = [](const Outcome &o) {
            return o.code != 0 && o.error_tail.find("Broken pipe") == std::string::npos;
        };
        if (scorer.timed_out) return fail(600, "the scorer made no progress for the time that --timeout allows", {});
        if (broken(ref_end) && ref_end.code != 141)
            return fail(400, explain_failure("decoding the reference", ref_end.code, ref_end.error_tail),
                        ref_end.error_tail);
        if (broken(dist_end) && dist_end.code != 141)
            return fail(401, explain_failure("decoding the encode", dist_end.code, dist_end.error_tail),
                        dist_end.error_tail);
        if (!scorer.ok()) {
            const bool backend_lost = settings.backend != "cpu" && scorer.code != 1;
            return fail(backend_lost ? 501 : 500, explain_failure("the scorer", scorer.code, scorer.error_tail),
                        scorer.error_tail);
        }
        read_document(document, result);
        std::error_code ignored;
        fs::remove(document, ignored);
        if (!result.ok()) return result;
        const std::int64_t expected =
            pair.expected_frames > 0 ? (pair.expected_frames + settings.subsample - 1) / settings.subsample : 0;
        const std::int64_t missing = expected - result.frames;
        if (expected > 0 && std::llabs(missing) > 1 && !settings.allow_short && settings.dist_delay == 0)
            return fail(300,
                        "frame count mismatch: " + std::to_string(expected) + " frames were expected, " +
                            std::to_string(result.frames) +
                            " could be paired; check for dropped or repeated frames, or use --allow-short",
                        {});
        if (expected > 0 && missing != 0)
            result.warnings.push_back("frame counts differ by " + std::to_string(missing) +
                                      "; the common part was scored");
        for (const MetricChoice &metric : settings.metrics) {
            const auto series = result.series.find(metric.series);
            if (series == result.series.end() || series->second.empty())
                return fail(565, "the scorer gave no '" + metric.series + "'", {});
            for (const double x : series->second)
                if (metric.feature.empty() && !(x >= 0 && x <= 110))
                    return fail(502, "a frame's " + metric.name + " is not a number between 0 and 100", {});
        }
    } catch (const Error &e) {
        return fail(500, e.what(), {});
    }
    return result;
}

} // namespace vmaf::tune
