#include "stages/score_plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "base/error.hpp"
#include "device/backends.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

namespace {

int even(double value) { return std::max(2, 2 * static_cast<int>(std::lround(value / 2))); }

// The size of a filtered source: from FFmpeg itself, by filtering one frame.
FrameSize filtered_size(const Programs &programs, const Source &source, const std::string &filter) {
    if (filter.empty()) return {source.width, source.height};
    Arguments command = {programs.ffmpeg, "-hide_banner", "-nostdin", "-v", "error"};
    append(command, source.input_arguments());
    append(command, {"-i", ffmpeg_path(source.path), "-map", "0:v:" + std::to_string(source.stream), "-frames:v", "1",
                     "-vf", source.shown(filter), "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", "-"});
    const std::lock_guard lock(programs.known->mutex);
    std::map<Arguments, std::pair<int, int>> &known = programs.known->filtered_sizes;
    if (const auto found = known.find(command); found != known.end())
        return {found->second.first, found->second.second};
    const ChildResult outcome = run_child(command);
    int w = 0, h = 0;
    if (!outcome.ok() || std::sscanf(outcome.out.c_str(), "YUV4MPEG2 W%d H%d", &w, &h) != 2)
        throw invalid("the filter '" + filter + "' cannot be applied to '" + source.path + "': " + outcome.error_tail);
    known[command] = {w, h};
    return {w, h};
}

std::string joined(const std::vector<std::string> &filters) {
    std::string chain;
    for (const std::string &f : filters)
        if (!f.empty() && f != "copy" && f != "null") chain += (chain.empty() ? "" : ",") + f;
    return chain;
}

// Keeps FFmpeg's names of full-range formats: it would convert the levels otherwise (6.9).
std::string format_without_range_change(const Source &source, const PixelLayout &layout) {
    const std::string name = pix_fmt_name(layout);
    return source.pix_fmt.starts_with("yuvj") && layout.bits == 8 ? "yuvj" + name.substr(3) : name;
}

// A planar layout that holds the pictures; RGB needs more bits as Y'CbCr.
PixelLayout enclosing_layout(const Source &source) {
    const PixelContent content = pixel_content(source.pix_fmt).value_or(PixelContent{444, 10});
    const int bits = content.is_rgb ? std::max(10, content.bits) : content.bits;
    switch (content.chroma) {
    case 410: return {420, bits};
    case 411: return {422, bits};
    case 440: return {444, bits};
    default: return {content.chroma, bits};
    }
}

// The first metric computed by a model; otherwise plain VMAF, for choosing sizes.
const MetricChoice &model_metric(const ScoreSettings &settings) {
    for (const MetricChoice &metric : settings.metrics)
        if (metric.feature.empty()) return metric;
    static const MetricChoice plain = *metric_choice("vmaf");
    return plain;
}

} // namespace

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

std::string chosen_model(const ScoreSettings &settings, const MetricChoice &metric, FrameSize scored) {
    const bool is_4k = scored.height >= 2160 || scored.width >= 3840;
    std::string model = settings.model;
    if (model == "auto") model = std::string("version=vmaf_") + (is_4k ? "4k_" : "") + "v0.6.1";
    if (model.find('=') == std::string::npos) model = "version=" + model;
    if (metric.name != "vmaf_neg" || model.find("neg") != std::string::npos) return model;
    for (const char *known : {"vmaf_v0.6.1", "vmaf_4k_v0.6.1", "vmaf_float_v0.6.1"}) // they have built-in neg versions
        if (model == std::string("version=") + known) return model + "neg";
    return model + ":vif.vif_enhn_gain_limit=1.0:adm.adm_enhn_gain_limit=1.0"; // turns any model into a neg one
}

namespace {

// The size that --score-scale requests, if this metric's model uses it.
FrameSize viewing_size(const ScoreSettings &settings, const MetricChoice &metric, FrameSize size) {
    const bool is_4k = chosen_model(settings, metric, size).find("4k") != std::string::npos;
    return scored_size(size, settings.scale, is_4k ? 2160 : 1080);
}

} // namespace

PixelLayout deeper_layout(const PixelLayout &a, const PixelLayout &b) {
    const int bits = std::max(a.bits, b.bits);
    return {std::max(a.chroma, b.chroma), bits <= 8 ? 8 : bits <= 10 ? 10 : bits <= 12 ? 12 : 16};
}

std::size_t ScorePlan::frame_bytes() const {
    const auto w = static_cast<std::size_t>(size.width), h = static_cast<std::size_t>(size.height);
    const std::size_t chroma_w = layout.chroma == 444 ? w : (w + 1) / 2,
                      chroma_h = layout.chroma == 420 ? (h + 1) / 2 : h;
    return (w * h + (layout.chroma == 400 ? 0 : 2 * chroma_w * chroma_h)) * (layout.bits > 8 ? 2 : 1);
}

std::string trimmed(std::int64_t frames, const std::string &filter) {
    if (frames <= 0) return filter;
    return joined({"trim=start_frame=" + std::to_string(frames) + ",setpts=PTS-STARTPTS", filter});
}

Arguments decode_command(const Programs &programs, const Source &source, const Window &window,
                         const std::string &filter, const std::string &pix_fmt, bool drop_grain,
                         const std::string &output) {
    Arguments command = {programs.ffmpeg, "-hide_banner", "-nostdin", "-v", "error"};
    append(command, source.input_arguments());
    if (drop_grain && source.codec == "av1") append(command, {"-export_side_data", "film_grain"});
    if (window.start > 0) append(command, {"-ss", number_text(window.start)});
    append(command, {"-i", ffmpeg_path(source.path), "-map", "0:v:" + std::to_string(source.stream)});
    if (!window.full()) append(command, {"-frames:v", std::to_string(window.frames)});
    if (const std::string shown = source.shown(filter); !shown.empty()) append(command, {"-vf", shown});
    append(command, {"-fps_mode", "passthrough", "-pix_fmt", pix_fmt, "-f", "rawvideo"});
    command.push_back(output == "-" ? output : ffmpeg_path(output));
    return command;
}

std::vector<std::vector<MetricChoice>> groups_by_size(const Programs &programs, const ScorePair &pair,
                                                      const ScoreSettings &settings) {
    std::vector<MetricChoice> models, others;
    for (const MetricChoice &metric : settings.metrics) (metric.feature.empty() ? models : others).push_back(metric);
    if (settings.scale != "auto" || models.empty() || others.empty()) return {settings.metrics};
    const FrameSize size = filtered_size(programs, *pair.reference, settings.reference_filter);
    if (viewing_size(settings, models.front(), size) == size) return {settings.metrics};
    return {models, others};
}

ScorePlan plan_score(const Programs &programs, const ScorePair &pair, const ScoreSettings &settings) {
    ScorePlan plan;
    const Source &ref = *pair.reference, &dist = *pair.distorted;
    const FrameSize ref_size = filtered_size(programs, ref, settings.reference_filter);
    const FrameSize dist_size = {dist.width, dist.height};
    const bool hdr = ref.hdr.transfer != Hdr::Transfer::none;
    const MetricChoice &vmaf_like = model_metric(settings);
    if (settings.scale == "none" && !(ref_size == dist_size))
        throw invalid("the reference is " + std::to_string(ref_size.width) + "x" + std::to_string(ref_size.height) +
                      ", the distorted video " + std::to_string(dist_size.width) + "x" +
                      std::to_string(dist_size.height) + "; use --score-scale auto, or filter one of them");
    // Sizes are chosen for a model; other metrics use pictures unchanged.
    const bool has_model = std::any_of(settings.metrics.begin(), settings.metrics.end(),
                                       [](const MetricChoice &metric) { return metric.feature.empty(); });
    plan.size = settings.scale == "auto" && !has_model ? ref_size : viewing_size(settings, vmaf_like, ref_size);
    plan.frame_rate = dist.rate.value() > 0 ? dist.rate.value() : ref.rate.value();
    plan.model = chosen_model(settings, vmaf_like, plan.size);
    for (const MetricChoice &metric : settings.metrics)
        if (metric.feature.empty()) plan.models[metric.name] = chosen_model(settings, metric, plan.size);
    plan.layout = deeper_layout(enclosing_layout(ref), enclosing_layout(dist));
    if (plan.layout.chroma == 400) plan.layout.chroma = 420;

    plan.reference_format = format_without_range_change(ref, plan.layout);
    // FFmpeg's scaler converts full to limited range by default, and it also converts formats.
    const std::string levels = ref.has_full_levels() ? ":out_range=pc" : "";
    const auto scale_to = [&](FrameSize from, FrameSize to, bool convert_range, bool changes_format) -> std::string {
        if (from == to && !convert_range && (levels.empty() || !changes_format)) return {};
        // Does not mix lines of two fields.
        const bool has_fields = ref.is_interlaced() && ref.display_filter.find("bwdif") == std::string::npos;
        std::string text = "scale=" + std::to_string(to.width) + ":" + std::to_string(to.height) +
                           ":flags=" + settings.scaler + "+accurate_rnd+full_chroma_int";
        text += !convert_range          ? levels
                : ref.has_full_levels() ? ":in_range=tv:out_range=pc"
                                        : ":in_range=pc:out_range=tv";
        if (has_fields) text += ":interl=1";
        return text + ",setsar=1";
    };
    const bool ranges_known = ref.range != SampleRange::unknown && dist.range != SampleRange::unknown;
    const bool ranges_differ = ranges_known && ref.has_full_levels() != dist.has_full_levels();
    if (ranges_differ)
        plan.warnings.push_back("the reference has " + ffmpeg_name(ref.range) + " range, the distorted video " +
                                ffmpeg_name(dist.range) + "; the distorted video is converted");
    const auto known = [](const std::string &tag) { return !tag.empty() && tag != "unknown" && tag != "unspecified"; };
    if (known(ref.matrix) && known(dist.matrix) && ref.matrix != dist.matrix)
        plan.warnings.push_back("the reference is tagged with the colour matrix " + ref.matrix +
                                ", the distorted video with " + dist.matrix + "; samples are compared as stored");
    if (hdr && settings.model == "auto" && !settings.metrics.empty() && settings.metrics.front().feature.empty())
        plan.warnings.push_back(kNoHdrModel);
    plan.distorted_format = ranges_differ ? pix_fmt_name(plan.layout) : format_without_range_change(dist, plan.layout);
    // A ladder's rung is first scaled to the reference's size.
    std::vector<std::string> dist_filters;
    const bool changes_format = plan.distorted_format != dist.pix_fmt;
    if (!(dist_size == ref_size) || ranges_differ)
        dist_filters.push_back(scale_to(dist_size, ref_size, ranges_differ, changes_format));
    dist_filters.push_back(scale_to(ref_size, plan.size, false, dist_filters.empty() && changes_format));
    plan.distorted_filter = joined(dist_filters);
    plan.reference_filter =
        joined({settings.reference_filter, scale_to(ref_size, plan.size, false, plan.reference_format != ref.pix_fmt)});
    plan.converts = !ref.shown("").empty() || !dist.shown("").empty() || !plan.distorted_filter.empty() ||
                    !plan.reference_filter.empty() || plan.reference_format != ref.pix_fmt ||
                    plan.distorted_format != dist.pix_fmt;
    plan.note = ref_size == plan.size && dist_size == plan.size
                    ? "none"
                    : std::to_string(plan.size.width) + "x" + std::to_string(plan.size.height) + ":" + settings.scaler;
    return plan;
}

Arguments scorer_command(const Programs &programs, const ScorePlan &plan, const ScoreSettings &settings,
                         const std::string &document) {
    Arguments command = {
        programs.vmaf, "--quiet", "--json", "--output", document, "--threads", std::to_string(settings.threads)};
    if (settings.scorer_takes_precision) append(command, {"--precision", "max"});
    if (settings.subsample > 1) append(command, {"--subsample", std::to_string(settings.subsample)});
    for (const auto &[metric, model] : plan.models) append(command, {"--model", model + ":name=" + metric});
    if (plan.models.empty()) command.push_back("--no_prediction");
    for (const MetricChoice &metric : settings.metrics)
        if (metric.name == kXpsnr && plan.frame_rate > 0 && plan.frame_rate <= 1000)
            append(command, {"--feature", metric.feature + "=fps=" + number_text(plan.frame_rate)});
        else if (!metric.feature.empty())
            append(command, {"--feature", metric.feature});
    if (!plan.models.empty())
        for (const std::string &path : settings.maps) append(command, {"--map", path});
    if (settings.scorer_takes_backend) append(command, {"--backend", settings.backend});
    // A backend without a flag: its runtime's variable selects the device (see scorer_environment).
    const auto backend = find_backend(settings.backend);
    if (settings.device && backend && !kBackends[*backend].device_flag.empty())
        append(command, {"--" + std::string(kBackends[*backend].device_flag), std::to_string(*settings.device)});
    return command;
}

std::vector<std::pair<std::string, std::string>> scorer_environment(const ScoreSettings &settings) {
    const auto backend = find_backend(settings.backend);
    if (!settings.device || !backend || !kBackends[*backend].device_flag.empty()) return {};
    return {{std::string(kBackends[*backend].device_variable), std::to_string(*settings.device)}};
}

} // namespace vmaf::tune
