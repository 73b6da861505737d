#include "stages/probe_keys.hpp"

#include <nlohmann/json.hpp>

#include "base/option_items.hpp"
#include "hash/sha256.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

constexpr int kLayout = 4; // of keys and stored results; incrementing it invalidates older ones

json window_json(const Window &window) {
    if (window.full()) return "full";
    return json::array({window.start, window.frames});
}

} // namespace

std::string encode_key(const ProbeSetup &setup, const Sample &sample, double q, const std::string &encoder_version,
                       unsigned threads) {
    if (sample.source.id.empty()) return {};
    json key = {{"v", kLayout},
                {"src", sample.source.id},
                {"clip", window_json(sample.window)},
                {"vfilter", setup.encode.vfilter},
                {"encoder", setup.encode.adapter->name},
                {"adapter_version", setup.encode.adapter->version},
                {"encoder_version", encoder_version},
                {"ffmpeg_version", setup.programs.ffmpeg_version},
                {"arguments", distinguishing_arguments(sample.source, setup.encode, q)},
                {"passes", setup.encode.two_pass ? 2 : 1},
                {"unused_options", setup.encode.allow_unused_options},
                {"out_pix_fmt", setup.encode.out_pix_fmt}};
    if (threads > 0) key["threads"] = threads;
    return sha256_hex(json_line(key));
}

namespace {

std::string model_identity(const std::string &model) {
    if (!model.starts_with("path=")) return model;
    const std::string path = model.substr(5, item_end(model, 0) - 5);
    return "file:" + sha256_of_file(path) + model.substr(5 + path.size());
}

} // namespace

std::string score_key(const ProbeSetup &setup, const std::string &encode_key) {
    if (encode_key.empty()) return {};
    json metrics = json::array();
    for (const MetricChoice &metric : setup.score.metrics) metrics.push_back(metric.name);
    const json key = {{"v", kLayout},
                      {"encode", encode_key},
                      {"metric", metrics},
                      {"model", model_identity(setup.score.model)},
                      {"backend", setup.score.backend},
                      {"score_scale", setup.score.scale},
                      {"scaler", setup.score.scaler},
                      {"sizes", "by metric"},
                      {"reference_vfilter", setup.score.reference_filter},
                      {"subsample", setup.score.subsample},
                      {"allow_damaged", setup.score.allow_damaged},
                      {"film_grain", setup.score.drop_film_grain ? "drop" : "keep"},
                      {"reference_grain", setup.score.drop_reference_grain ? "drop" : "keep"},
                      {"dist_delay", setup.score.dist_delay},
                      {"scorer", setup.score.scorer_identity}};
    return sha256_hex(json_line(key));
}

} // namespace vmaf::tune
