#include "rows/row_format.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "base/lists.hpp"
#include "report/escape.hpp"
#include "rows/fields.hpp"
#include "rows/row.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

// 11.2, in byte order.
// clang-format off
constexpr auto kSchema3 = std::to_array<const char *>({
    "adm2_mean", "adm2_std", "bitrate_kbps", "clip_mode", "crf", "duration_s", "enc_internal_bits_mean",
    "enc_internal_bits_std", "enc_internal_intra_ratio", "enc_internal_itex_mean", "enc_internal_mv_mean",
    "enc_internal_mv_std", "enc_internal_ptex_mean", "enc_internal_qp_mean", "enc_internal_qp_std",
    "enc_internal_skip_ratio", "encode_path", "encode_size_bytes", "encode_time_ms", "encoder", "encoder_version",
    "exit_status", "extra_params", "ffmpeg_version", "framerate", "hdr_forced", "hdr_primaries", "hdr_transfer",
    "height", "motion2_mean", "motion2_std", "pix_fmt", "preset", "run_id", "schema_version", "score_time_ms",
    "shot_avg_duration_sec", "shot_count", "shot_duration_std_sec", "src", "src_sha256", "timestamp", "vif_scale0_mean",
    "vif_scale0_std", "vif_scale1_mean", "vif_scale1_std", "vif_scale2_mean", "vif_scale2_std", "vif_scale3_mean",
    "vif_scale3_std", "vmaf_binary_version", "vmaf_model", "vmaf_score", "width"});
// clang-format on
static_assert(kSchema3.size() == 54);

// Columns of tidy tables: those that identify a cell, then measurements.
// clang-format off
constexpr auto kCsv = std::to_array<const char *>({
    "src", "encoder", "preset", "q_knob", "crf", "exit_status", "metric", "pool", "score", "vmaf_score", "bitrate_kbps",
    "encode_size_bytes", "encode_file_bytes", "encoded_frames", "scored_frames", "encode_time_ms", "score_time_ms",
    "encode_fps", "score_fps", "width", "height", "pix_fmt", "out_pix_fmt", "produced_pix_fmt", "framerate",
    "duration_s", "clip_mode", "passes", "options", "encode_width", "encode_height", "vmaf_model", "score_backend",
    "score_scale", "scorer", "encoder_version", "ffmpeg_version", "vmaf_binary_version", "hdr_transfer", "vfr",
    "shot_count", "shot_avg_duration_sec", "shot_duration_std_sec", "adm2_mean", "adm2_std", "vif_scale0_mean",
    "vif_scale0_std", "vif_scale1_mean", "vif_scale1_std", "vif_scale2_mean", "vif_scale2_std", "vif_scale3_mean",
    "vif_scale3_std", "motion2_mean", "motion2_std", "from_cache", "run_id", "timestamp", "encode_path", "error"});
// clang-format on

std::string cell_text(const json &value) {
    if (value.is_null()) return {};
    if (value.is_object()) return csv_field(text_in(value, "message")); // why it failed
    if (value.is_string()) return csv_field(value.get<std::string>());
    return value.is_structured() ? csv_field(json_line(value)) : json_line(value);
}

} // namespace

std::string row_header(RowFormat format) { return format == RowFormat::csv ? joined(kCsv, ",") : ""; }

std::string row_line(const json &row, RowFormat format) {
    if (format == RowFormat::schema4) return json_line(row);
    if (format == RowFormat::csv)
        return joined(kCsv, ",", [&](const char *column) { return cell_text(row.value(column, json())); });
    std::string text;
    for (const char *key : kSchema3) {
        const json value = key == std::string_view("schema_version") ? json(3) : row.value(key, json());
        text += (text.empty() ? "{\"" : ",\"") + std::string(key) +
                "\":" + (value.is_null() ? "NaN" : json_line(value)); // not JSON, but older readers expect it
    }
    return text + "}";
}

} // namespace vmaf::tune
