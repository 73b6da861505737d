// What each subcommand's own flags say. What several of them share is in cli/options.hpp; `fast` and `predict` have
// headers of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vmaf::tune {

enum class CorpusFormat { jsonl, csv };

struct CorpusOptions {
    std::string q_range, frames_out;
    bool resume = false, append = false, retry_failed = false, unordered = false;
    bool coarse_to_fine = false; // quality values by a search
    CorpusFormat format = CorpusFormat::jsonl;
};

struct SearchOptions {
    bool interpolate = false; // between rows
};

struct EncodeOptions {
    std::string audio_codec;
    bool video_only = false, verify = false, verify_score = false, fail_fast = false;
};

enum class ScoreFormat { human, json, csv, xml };
enum class FramePairing { automatic, time, index };
enum class Alignment { checked, corrected, none };

struct ScoreOptions {
    std::string reference;
    std::vector<std::string> distorted;
    std::string frames_out, start_offset, score_fps;
    FramePairing pair = FramePairing::automatic;
    Alignment align = Alignment::checked;
    std::int64_t num_frames = 0;
    std::optional<ScoreFormat> format;
};

enum class TableFormat { markdown, json, csv, html };

struct CompareOptions {
    std::vector<std::string> encoders; // ENCODER[:PRESET]
    std::string baseline;
    std::optional<TableFormat> format;
};

struct BenchmarkOptions {
    std::string baseline;
    bool per_source = false;
    std::optional<TableFormat> format;
};

enum class LadderFormat { json, hls, dash };
enum class RungSpacing { log_bitrate, vmaf };

struct LadderOptions {
    std::string resolutions, target_vmafs = "95,90,85,75,65", points, audio_codec;
    RungSpacing spacing = RungSpacing::log_bitrate;
    LadderFormat format = LadderFormat::json;
    int quality_tiers = 5;
    std::optional<double> min_bitrate;
    double segment_seconds = 4;
    bool run = false, video_only = false;
};

struct PerShotOptions {
    std::string plan_out, script_out, segment_dir, shots, probe_preset, floor, zones, per_shot_bin;
    std::optional<double> diff_threshold; // cuts by plain differences
    int min_shot = 24, probe_rate = 1;
    std::string max_shot = "10s";
    double max_q_step = 8;
    bool run = false;
};

struct ReportOptions {
    std::vector<std::string> inputs, frame_files, svg; // svg: kind and file
    std::string title = "vmaf-tune report", csv, baseline;
    std::vector<double> targets;
    unsigned thumbnails = 5;
};

enum class CacheAction { stats, list, prune, clear, verify };

struct CacheOptions {
    std::string older, shrink_to;
    bool remove_scratch = false;
};

} // namespace vmaf::tune
