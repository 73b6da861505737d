#include "stages/conditions.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/lists.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

std::string size_text(FrameSize size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

std::string depth_text(const PixelLayout &layout) {
    const std::string chroma = std::to_string(layout.chroma);
    return std::to_string(layout.bits) + "-bit " + chroma[0] + ":" + chroma[1] + ":" + chroma[2];
}

std::string model_text(const std::string &model) { return model.starts_with("version=") ? model.substr(8) : model; }

std::string frames_text(const ProbeSetup &setup, const ProbeResult &probe) {
    std::string text =
        setup.score.subsample > 1 ? "one of " + std::to_string(setup.score.subsample) + " frames, " : std::string();
    if (setup.clip_mode == "full") return text + "the whole source (" + counted(probe.scored_frames, "frame") + ")";
    if (setup.clip_mode == "shot") return text + "every shot by itself";
    const std::size_t count = probe.samples.size();
    return text + std::to_string(count) + (count == 1 ? " sample, " : " samples, ") +
           fixed_text(probe.encoded_duration, 1) + " of " + fixed_text(setup.source.duration, 1) + " s";
}

// Where film grain may matter: AV1 sources, and encodes that were given some.
std::string grain_text(const ProbeSetup &setup) {
    const bool is_av1 = setup.source.codec == "av1", is_dropped = setup.score.drop_film_grain;
    const Arguments &options = setup.encode.user_arguments;
    const bool is_added = std::any_of(options.begin(), options.end(), [](const std::string &option) {
        return option.find("film-grain") != std::string::npos || option.find("film_grain") != std::string::npos ||
               option.find("denoise-noise-level") != std::string::npos;
    });
    if (!is_dropped) return is_av1 ? "; with the film grain of source and encode" : "; with film grain";
    if (is_av1) return "; with the source's film grain, without the encode's";
    return is_added ? "; without the encode's film grain" : "";
}

} // namespace

std::string measured_text(const std::map<std::string, MeasuredAt> &measured, FrameSize source,
                          const std::string &scaler) {
    std::map<std::string, std::string> metrics; // by measured size
    std::set<std::string> depths;
    for (const auto &[metric, at] : measured) {
        std::string &names =
            metrics[size_text(at.size) +
                    (at.size == source ? "" : " scaled from " + size_text(source) + " (" + scaler + ")")];
        add_item(names, metric + (at.model.empty() ? "" : " (" + model_text(at.model) + ")"));
        depths.insert(depth_text(at.layout));
    }
    std::string text;
    for (const auto &[place, names] : metrics) text += names + " at " + place + "; ";
    for (const std::string &depth : depths) text += (depth == *depths.begin() ? "" : ", ") + depth;
    return text;
}

std::string conditions_line(const ProbeSetup &setup, const ProbeResult &probe) {
    return "scored: " + measured_text(probe.measured, {setup.source.width, setup.source.height}, setup.score.scaler) +
           "; " + frames_text(setup, probe) + grain_text(setup) +
           (setup.score.reference_filter.empty() ? "" : "; reference filtered by " + setup.score.reference_filter) +
           decoded_text(probe.decoded_by);
}

std::string decoded_text(const DecodedBy &by) {
    const auto name = [](const std::string &decoder) {
        if (decoder == "ffmpeg") return std::string("FFmpeg");
        return decoder == "vmaf" ? decoder : "the GPU (" + decoder + ")";
    };
    if (by == DecodedBy{}) return {};
    if (by.reference == by.encode) return "; decoded by " + name(by.encode);
    return "; reference decoded by " + name(by.reference) + ", encode by " + name(by.encode);
}

json decoded_json(const DecodedBy &by) { return {{"reference", by.reference}, {"encode", by.encode}}; }

json measured_json(const std::map<std::string, MeasuredAt> &measured) {
    json metrics = json::object();
    for (const auto &[metric, at] : measured) {
        metrics[metric] = {{"size", size_text(at.size)}, {"pix_fmt", pix_fmt_name(at.layout)}};
        if (!at.model.empty()) metrics[metric]["model"] = at.model;
    }
    return metrics;
}

json conditions_json(const ProbeSetup &setup, const ProbeResult &probe) {
    return {{"metrics", measured_json(probe.measured)},
            {"scaler", setup.score.scaler},
            {"reference_vfilter", setup.score.reference_filter},
            {"subsample", setup.score.subsample},
            {"film_grain", setup.score.drop_film_grain ? "drop" : "keep"},
            {"samples", setup.clip_mode}};
}

} // namespace vmaf::tune
