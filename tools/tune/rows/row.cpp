#include "rows/row.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "stages/aggregate.hpp"
#include "stages/conditions.hpp"
#include "system/host.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json statistics(const std::string &metric, const Series &values) {
    return {{"mean", number_or_null(pooled_metric(metric, values, "mean"))},
            {"harmonic_mean", number_or_null(pooled(values, "harmonic"))},
            {"min", number_or_null(pooled(values, "min"))},
            {"max", number_or_null(pooled(values, "max"))},
            {"median", number_or_null(pooled(values, "median"))},
            {"p1", number_or_null(pooled(values, "percentile=1"))},
            {"p5", number_or_null(pooled(values, "percentile=5"))},
            {"p10", number_or_null(pooled(values, "percentile=10"))},
            {"std", number_or_null(standard_deviation(values))}};
}

json host_facts() {
    static const json facts = {{"os", system::system_name()},
                               {"cpu", system::processor_name()},
                               {"threads", std::thread::hardware_concurrency()},
                               {"gpu", nullptr}};
    return facts;
}

void add_source(json &row, const Source &source) {
    row["src"] = source.path;
    row["src_sha256"] = source.sha256;
    row["src_id"] = source.id;
    row["width"] = source.width;
    row["height"] = source.height;
    row["pix_fmt"] = source.pix_fmt;
    row["framerate"] = source.rate.value();
    row["duration_s"] = source.duration;
    row["field_order"] = source.field_order;
    row["vfr"] = source.vfr;
    row["sar"] = source.sample_aspect;
    row["hdr_transfer"] = source.hdr.transfer == Hdr::Transfer::pq    ? "pq"
                          : source.hdr.transfer == Hdr::Transfer::hlg ? "hlg"
                                                                      : "";
    row["hdr_primaries"] = source.hdr.primaries;
    row["hdr_forced"] = source.hdr.forced;
    const ShotSummary shots = source.shots.value_or(ShotSummary{});
    row["shot_count"] = shots.count;
    row["shot_avg_duration_sec"] = shots.mean_seconds;
    row["shot_duration_std_sec"] = shots.deviation_seconds;
}

void add_encode(json &row, const ProbeSetup &setup, const ProbeResult &result) {
    const Source &source = setup.source;
    row["encoder"] = setup.encode.adapter->name;
    row["encoder_version"] = result.encoder_version;
    row["preset"] = setup.encode.preset;
    row["crf"] = result.q == std::floor(result.q) ? json(static_cast<int>(result.q)) : json(result.q);
    row["q_knob"] = setup.encode.adapter->knob;
    row["extra_params"] = setup.encode.user_arguments;
    row["options"] = setup.flags;
    row["variant"] = setup.variant;
    row["encode_width"] = setup.encode_size.width > 0 ? setup.encode_size.width : source.width;
    row["encode_height"] = setup.encode_size.height > 0 ? setup.encode_size.height : source.height;
    row["encode_path"] = result.encode_path;
    row["encode_size_bytes"] = result.ok() ? result.stream_bytes : 0;
    row["encode_file_bytes"] = result.file_bytes;
    row["bitrate_kbps"] = result.ok() ? result.bitrate_kbps() : 0.0;
    row["encode_time_ms"] = result.encode_seconds * 1000;
    row["score_time_ms"] = result.score_seconds * 1000;
    row["encoded_frames"] = result.encoded_frames;
    row["scored_frames"] = result.scored_frames;
    row["encode_fps"] =
        result.encode_seconds > 0 ? json(double(result.encoded_frames) / result.encode_seconds) : json(nullptr);
    row["score_fps"] =
        result.score_seconds > 0 ? json(double(result.scored_frames) / result.score_seconds) : json(nullptr);
}

// Read by predictors of other programs.
void add_features(json &row, const ProbeResult &result) {
    for (const char *name : {"adm2", "vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3", "motion2"}) {
        const auto found = result.features.find(name);
        row[std::string(name) + "_mean"] =
            found == result.features.end() ? json(nullptr) : number_or_null(found->second.mean);
        row[std::string(name) + "_std"] =
            found == result.features.end() ? json(nullptr) : number_or_null(found->second.deviation);
    }
    for (const char *name : {"qp_mean", "qp_std", "bits_mean", "bits_std", "mv_mean", "mv_std", "itex_mean",
                             "ptex_mean", "intra_ratio", "skip_ratio"})
        row["enc_internal_" + std::string(name)] = 0.0;
}

void add_scores(json &row, const ProbeSetup &setup, const ProbeResult &result) {
    const MetricChoice &target = setup.score.metrics.front();
    row["metric"] = target.name;
    row["pool"] = setup.pool;
    json scores = json::object();
    for (const auto &[name, values] : result.series)
        if (!values.empty()) scores[name] = statistics(name, values);
    row["scores"] = scores;
    const auto series = result.series.find(target.name);
    row["score"] = result.ok() && series != result.series.end()
                       ? number_or_null(aggregated(result, target.name, setup.pool, setup.aggregate))
                       : json(nullptr);
    row["sample_aggregate"] = word_of(kSampleAggregates, setup.aggregate);
    const auto vmaf = std::ranges::find_if(result.series, [](const auto &e) { return e.first.starts_with("vmaf"); });
    row["vmaf_score"] =
        result.ok() && vmaf != result.series.end() ? number_or_null(pooled(vmaf->second, "mean")) : json(nullptr);
    row["samples"] = json::array();
    for (const SampleResult &sample : result.samples)
        row["samples"].push_back({{"start_s", sample.start},
                                  {"frames", sample.frames},
                                  {"size_bytes", sample.bytes},
                                  {"score", number_or_null(sample.score)}});
}

} // namespace

std::string random_id() {
    std::random_device device;
    std::string id;
    for (int i = 0; i < 32; i++) id += "0123456789abcdef"[device() & 15];
    return id;
}

std::string utc_timestamp() {
    const std::tm parts = system::utc(std::time(nullptr));
    char text[40];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", &parts);
    return text;
}

json make_row(const ProbeSetup &setup, const ProbeResult &result) {
    json row;
    row["schema_version"] = 4;
    row["run_id"] = random_id();
    row["timestamp"] = utc_timestamp();
    add_source(row, setup.source);
    add_encode(row, setup, result);
    add_features(row, result);
    add_scores(row, setup, result);
    row["ffmpeg_version"] = setup.programs.ffmpeg_version;
    row["vmaf_binary_version"] = result.scorer_version.empty() ? "skipped" : result.scorer_version;
    row["vmaf_model"] = result.model;
    row["models"] = result.models;
    row["exit_status"] = result.outcome.row_status();
    row["clip_mode"] = setup.clip_mode;
    row["score_backend"] = result.backend.empty() ? setup.score.backend : result.backend;
    row["score_scale"] = result.scale_note;
    row["conditions"] = conditions_json(setup, result);
    row["decoded_by"] = decoded_json(result.decoded_by);
    row["scorer"] = word_of(kScorers, setup.score.scorer);
    row["out_pix_fmt"] = result.out_pix_fmt;
    row["format_changes"] = setup.format_changes;
    row["produced_pix_fmt"] = result.produced_pix_fmt;
    row["passes"] = result.passes;
    row["from_cache"] = result.from_cache;
    row["argv"] = result.command;
    row["warnings"] = result.warnings;
    row["encode_key"] = result.encode_key;
    row["score_key"] = result.score_key;
    row["error"] = result.ok() ? json(nullptr)
                               : json{{"stage", result.outcome.stage},
                                      {"code", result.outcome.row_status()},
                                      {"message", result.outcome.sentence},
                                      {"stderr_tail", result.outcome.tail}};
    row["host"] = host_facts();
    return row;
}

json frames_json(const ProbeSetup &setup, const ProbeResult &result) {
    json pieces = json::array();
    for (const SampleResult &sample : result.samples)
        pieces.push_back({{"start_s", sample.start}, {"frames", sample.frames}});
    return {{"type", "frames"},
            {"src", setup.source.path},
            {"reference", setup.source.path},
            {"reference_vfilter", setup.source.shown(setup.score.reference_filter)},
            {"distorted", result.encode_path},
            {"encoder", setup.encode.adapter->name},
            {"preset", setup.encode.preset},
            {"crf", result.q},
            {"options", setup.flags},
            {"metric", setup.score.metrics.front().name},
            {"framerate", setup.source.rate.value()},
            {"score_key", result.score_key},
            {"pieces", pieces},
            {"frames", result.series}};
}

} // namespace vmaf::tune
