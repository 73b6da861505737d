#include "stages/probe.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/error.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int kLayout = 2; // of keys and stored results; a higher number forgets everything older

json window_json(const Window &window) {
    if (window.full()) return "full";
    return json::array({window.start, window.frames});
}

std::string encode_key(const ProbeSetup &setup, const Sample &sample, double q, const std::string &encoder_version) {
    if (sample.source.id.empty()) return {};
    const json key = {{"v", kLayout},
                      {"src", sample.source.id},
                      {"clip", window_json(sample.window)},
                      {"vfilter", setup.encode.vfilter},
                      {"encoder", setup.encode.adapter->name},
                      {"adapter_version", setup.encode.adapter->version},
                      {"encoder_version", encoder_version},
                      {"ffmpeg_version", setup.programs.ffmpeg_version},
                      {"arguments", distinguishing_arguments(sample.source, setup.encode, q)},
                      {"passes", setup.encode.two_pass ? 2 : 1},
                      {"out_pix_fmt", setup.encode.out_pix_fmt}};
    return sha256_hex(key.dump());
}

std::string model_identity(const std::string &model) {
    if (!model.starts_with("path=")) return model;
    const std::string path = model.substr(5, model.find(':') - 5);
    return "file:" + sha256_of_file(path) + model.substr(5 + path.size());
}

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
                      {"reference_vfilter", setup.score.reference_filter},
                      {"subsample", setup.score.subsample},
                      {"film_grain", setup.score.drop_film_grain ? "drop" : "keep"},
                      {"dist_delay", setup.score.dist_delay},
                      {"scorer", setup.score.scorer == "binary" ? setup.programs.vmaf : "library"}};
    return sha256_hex(key.dump());
}

// Means of the features that rows state, from whichever spelling the scorer used (6.3).
void add_features(const std::map<std::string, Series> &series, std::map<std::string, Series> &collected) {
    for (const char *stem : {"adm2", "vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3", "motion2"}) {
        for (const std::string &name : {std::string(stem), "integer_" + std::string(stem), "float_" + std::string(stem),
                                        "VMAF_integer_feature_" + std::string(stem) + "_score"}) {
            const auto found = std::find_if(series.begin(), series.end(), [&](const auto &entry) {
                return entry.first == name || entry.first.starts_with(name + "_");
            });
            if (found == series.end()) continue;
            Series &all = collected[stem];
            all.insert(all.end(), found->second.begin(), found->second.end());
            break;
        }
    }
}

struct StoredEncode {
    std::uint64_t stream_bytes = 0, file_bytes = 0;
    std::int64_t frames = 0;
    double seconds = 0;
    std::string encoder_version, produced_pix_fmt;
    int passes = 1;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StoredEncode, stream_bytes, file_bytes, frames, seconds, encoder_version,
                                   produced_pix_fmt, passes)

struct StoredScore {
    std::map<std::string, Series> metrics, features;
    std::string backend, model, scale_note, scorer_version;
    std::vector<std::string> warnings;
    double seconds = 0;
    std::int64_t frames = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StoredScore, metrics, features, backend, model, scale_note, scorer_version, warnings,
                                   seconds, frames)

template <class T> std::optional<T> find_stored(Cache *cache, Cache::Kind kind, const std::string &key) {
    if (!cache || key.empty()) return std::nullopt;
    const auto text = cache->find(kind, key);
    if (!text) return std::nullopt;
    try {
        return json::parse(*text).get<T>();
    } catch (const json::exception &) { // a damaged entry counts as a miss
        return std::nullopt;
    }
}

// A result is good even if it cannot be remembered.
void remember(Cache *cache, Cache::Kind kind, const std::string &key, const json &value,
              std::vector<std::string> &warnings) {
    if (!cache || key.empty()) return;
    try {
        cache->store(kind, key, value.dump());
    } catch (const Error &e) {
        warnings.push_back(std::string("results are not remembered: ") + e.what());
    }
}

// The facts about an encode that do not depend on its quality.
json produced_json(const Source &s) {
    return {{"width", s.width},       {"height", s.height},     {"pix_fmt", s.pix_fmt},   {"codec", s.codec},
            {"range", s.range},       {"matrix", s.matrix},     {"transfer", s.transfer}, {"primaries", s.primaries},
            {"sar", s.sample_aspect}, {"order", s.field_order}, {"rate", s.rate.text()}};
}

Source produced_from(const json &facts) {
    Source s;
    facts.at("width").get_to(s.width);
    facts.at("height").get_to(s.height);
    for (const auto &[name, field] :
         {std::pair("pix_fmt", &s.pix_fmt), std::pair("codec", &s.codec), std::pair("range", &s.range),
          std::pair("matrix", &s.matrix), std::pair("transfer", &s.transfer), std::pair("primaries", &s.primaries),
          std::pair("sar", &s.sample_aspect), std::pair("order", &s.field_order)})
        facts.at(name).get_to(*field);
    s.rate = s.real_rate = parse_rational(facts.at("rate").get<std::string>());
    return s;
}

// What an encoder really made: it may change the format silently. That does not depend on the quality, so it is asked
// once for all probes with the same settings.
Source probe_produced(const ProbeSetup &setup, const EncodeResult &encoded) {
    static std::mutex mutex;
    static std::map<std::string, Source> known;
    const EncodeSettings &e = setup.encode;
    const json key = {setup.programs.ffmpeg, setup.programs.ffmpeg_version,
                      e.adapter->name,       e.preset,
                      e.out_pix_fmt,         e.vfilter,
                      e.user_arguments,      setup.source.path,
                      setup.source.id,       setup.source.pix_fmt};
    const std::string name = sha256_hex(key.dump(-1, ' ', false, json::error_handler_t::replace));
    const std::lock_guard lock(mutex);
    auto found = known.find(name);
    if (found == known.end()) {
        const bool identified = setup.cache && !setup.source.id.empty();
        if (const auto stored = identified ? setup.cache->find(Cache::Kind::fact, name) : std::nullopt) {
            try {
                found = known.emplace(name, produced_from(json::parse(*stored))).first;
            } catch (const json::exception &) { // a damaged entry counts as a miss
            }
        }
        if (found == known.end()) {
            SourceRequest request;
            request.path = encoded.path;
            request.ffprobe = setup.programs.ffprobe;
            request.hash = SourceRequest::Hash::none;
            request.hdr = "sdr";
            // Our own encode: frames pair by number, and its rate is the source's.
            if (setup.source.rate.value() > 0) request.framerate = setup.source.rate.text();
            found = known.emplace(name, probe_source(request)).first;
            std::vector<std::string> unimportant;
            if (identified) remember(setup.cache, Cache::Kind::fact, name, produced_json(found->second), unimportant);
        }
    }
    Source produced = found->second;
    produced.path = encoded.path;
    produced.file_bytes = encoded.file_bytes;
    produced.frames = encoded.frames;
    return produced;
}

std::string temporary_name(const std::string &folder, const std::string &extension) {
    static std::atomic<unsigned> counter{0};
    return folder + "/encode-" + std::to_string(getpid()) + "-" + std::to_string(counter++) + "." + extension;
}

} // namespace

std::string try_encoder(const Programs &programs, const Adapter &adapter) {
    static std::mutex mutex;
    static std::map<std::string, std::string> known;
    const std::lock_guard lock(mutex);
    const auto found = known.find(adapter.name);
    if (found != known.end()) return found->second;
    const int frames = adapter.is_hardware ? 8 : 1;
    Arguments command = {programs.ffmpeg,
                         "-hide_banner",
                         "-nostdin",
                         "-f",
                         "lavfi",
                         "-i",
                         "color=c=gray:s=256x144:r=24",
                         "-frames:v",
                         std::to_string(frames),
                         "-pix_fmt",
                         adapter.wants_10_bit ? "yuv420p10le" : "yuv420p",
                         "-c:v",
                         adapter.name,
                         "-f",
                         "null",
                         "-"};
    // Hardware may be there today and gone tomorrow.
    const Outcome outcome = adapter.is_hardware ? run_child(command) : ask_program(programs, command);
    if (!outcome.ok()) {
        if (outcome.error_tail.find("Unknown encoder") != std::string::npos)
            throw Error(ENOENT, "this FFmpeg has no encoder '" + adapter.name + "'; it was built without " +
                                    std::string(adapter.configure_switch));
        throw Error(ENODEV, adapter.name +
                                " does not work here: " + explain_failure("a trial", outcome.code, outcome.error_tail));
    }
    return known[adapter.name] = adapter.encoder_version(outcome.error_tail);
}

std::pair<std::string, std::string> probe_keys(const ProbeSetup &setup, double q) {
    const std::string version = try_encoder(setup.programs, *setup.encode.adapter);
    std::string encode, score;
    for (const Sample &sample : setup.samples) {
        const std::string key = encode_key(setup, sample, q, version);
        encode += key;
        score += score_key(setup, key);
    }
    return {encode.empty() ? "" : sha256_hex(encode), score.empty() ? "" : sha256_hex(score)};
}

ProbeResult run_probe(const ProbeSetup &setup, double q) {
    ProbeResult result;
    result.q = q;
    result.out_pix_fmt = encoder_pix_fmt(setup.source, setup.encode);
    result.from_cache = true;
    std::map<std::string, Series> features;
    const auto fail = [&](int status, const char *stage, const std::string &error, const std::string &tail) {
        result.status = status;
        result.stage = stage;
        result.error = error;
        result.error_tail = tail.size() > 2048 ? tail.substr(tail.size() - 2048) : tail;
        result.from_cache = false;
        return result;
    };
    try {
        const std::string version = try_encoder(setup.programs, *setup.encode.adapter);
        std::tie(result.encode_key, result.score_key) = probe_keys(setup, q);
        for (std::size_t i = 0; i < setup.samples.size(); i++) {
            const Sample &sample = setup.samples[i];
            const std::string key = encode_key(setup, sample, q, version), scores_key = score_key(setup, key);
            auto encode = find_stored<StoredEncode>(setup.cache, Cache::Kind::encode, key);
            auto score = find_stored<StoredScore>(setup.cache, Cache::Kind::score, scores_key);
            const bool keep = !setup.keep_as.empty() && setup.samples.size() == 1;
            result.command = encode_command(setup.programs, sample.source, sample.window, setup.encode, q,
                                            setup.encode.two_pass ? 2 : 0, "", keep ? setup.keep_as : "OUTPUT.mkv");
            if (!encode || !score || (keep && !fs::exists(setup.keep_as))) {
                result.from_cache = false;
                const std::string output =
                    keep ? setup.keep_as
                         : temporary_name(setup.work_folder, std::string(setup.encode.adapter->container));
                const std::int64_t expected = sample.window.full() ? sample.source.frame_count() : sample.window.frames;
                const auto report = [&](Stage stage, std::int64_t frame, double fps) {
                    if (setup.progress) setup.progress({stage, q, i, setup.samples.size(), frame, expected, fps});
                };
                report(Stage::encode, 0, 0);
                const EncodeResult encoded = [&] {
                    const Slots::Held slot(setup.slots, Stage::encode);
                    return run_encode(setup.programs, sample.source, sample.window, setup.encode, q, output,
                                      [&](std::int64_t frame, double fps) { report(Stage::encode, frame, fps); });
                }();
                result.command = encoded.command;
                result.encoder_version = encoded.encoder_version;
                result.encode_seconds += encoded.seconds;
                if (!encoded.ok()) return fail(encoded.status, "encode", encoded.error, encoded.error_tail);
                const Source produced = probe_produced(setup, encoded);
                encode = StoredEncode{encoded.stream_bytes,    encoded.file_bytes, encoded.frames, encoded.seconds,
                                      encoded.encoder_version, produced.pix_fmt,   encoded.passes};
                result.encode_seconds -= encoded.seconds; // added below, cached or not
                remember(setup.cache, Cache::Kind::encode, key, json(*encode), result.warnings);
                if (!score) {
                    report(Stage::score, 0, 0);
                    const ScorePair pair{&sample.source, sample.window, &produced, {}, encoded.frames};
                    const ScoreResult scored = [&] {
                        const Slots::Held slot(setup.slots, Stage::score);
                        return run_score(setup.programs, pair, setup.score);
                    }();
                    if (!keep) {
                        std::error_code ignored;
                        fs::remove(output, ignored);
                    }
                    if (!scored.ok()) {
                        result.encode_seconds += encoded.seconds;
                        result.stream_bytes += encoded.stream_bytes;
                        return fail(scored.status, "score", scored.error, scored.error_tail);
                    }
                    score.emplace();
                    for (const MetricChoice &metric : setup.score.metrics)
                        score->metrics[metric.name] = scored.series.at(metric.series);
                    add_features(scored.series, score->features);
                    score->backend = scored.backend_used;
                    score->model = scored.model;
                    score->scale_note = scored.scale_note;
                    score->scorer_version = scored.scorer_version;
                    score->warnings = scored.warnings;
                    score->seconds = scored.seconds;
                    score->frames = scored.frames;
                    remember(setup.cache, Cache::Kind::score, scores_key, json(*score), result.warnings);
                } else if (!keep) {
                    std::error_code ignored;
                    fs::remove(output, ignored);
                }
            }
            result.encode_path = keep ? setup.keep_as : "";
            result.encoder_version = encode->encoder_version;
            result.produced_pix_fmt = encode->produced_pix_fmt;
            result.passes = encode->passes;
            result.stream_bytes += setup.size_of_file ? encode->file_bytes : encode->stream_bytes;
            result.file_bytes += encode->file_bytes;
            result.encoded_frames += encode->frames;
            result.encode_seconds += encode->seconds;
            result.score_seconds += score->seconds;
            result.scored_frames += score->frames;
            result.encoded_duration += sample.seconds > 0 ? sample.seconds : 0;
            result.backend = score->backend;
            result.model = score->model;
            result.scale_note = score->scale_note;
            result.scorer_version = score->scorer_version;
            for (const std::string &warning : score->warnings) result.warnings.push_back(warning);
            for (const auto &[name, values] : score->metrics) {
                Series &all = result.series[name];
                all.insert(all.end(), values.begin(), values.end());
            }
            for (const auto &[name, values] : score->features) {
                Series &all = features[name];
                all.insert(all.end(), values.begin(), values.end());
            }
            const Series &target = score->metrics.at(setup.score.metrics.front().name);
            result.samples.push_back({sample.start, encode->frames, encode->stream_bytes, pooled(target, setup.pool)});
        }
    } catch (const Error &e) {
        return fail(e.code() == ENOENT ? 1 : 500, "setup", e.what(), {});
    } catch (const std::exception &e) {
        return fail(500, "setup", e.what(), {});
    }
    if (!result.produced_pix_fmt.empty() && result.produced_pix_fmt != result.out_pix_fmt)
        result.warnings.push_back(setup.encode.adapter->name + " was given " + result.out_pix_fmt + " and produced " +
                                  result.produced_pix_fmt);
    for (const auto &[name, values] : features) {
        double sum = 0;
        for (const double x : values) sum += x;
        result.features[name] = {sum / double(values.size()), standard_deviation(values)};
    }
    return result;
}

} // namespace vmaf::tune
