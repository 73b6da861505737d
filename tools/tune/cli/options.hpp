// What the command line can say. One struct for all subcommands; each binds the groups it needs.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace vmaf::tune {

// Work on several machines: what --executor slurm is told, and what its tasks are told by it.
struct ClusterOptions {
    std::string executor = "local", shared, partition, constraint, gres, time_limit, account, qos, memory;
    std::vector<std::string> sbatch; // more options of sbatch
    unsigned tasks = 0, cpus_per_task = 0;
    bool detach = false;
    std::vector<std::string> command_line; // as it was parsed, with defaults

    // status
    std::string run;
    bool attach = false, wait = false, cancel = false, as_json = false;

    // A task, or the end of a run: their folder, and where results are shared.
    std::string task_folder, store, run_folder;
    nlohmann::json extra; // of the manifest
    std::size_t phase = 0, workers = 1;
    std::string part;                                         // of a command: only this is done
    std::vector<std::pair<std::int64_t, std::int64_t>> shots; // that were found before
    // Told what the parts are, by phases, and the shots, instead of doing anything.
    std::function<void(const std::vector<std::vector<std::string>> &phases)> on_parts;
    std::function<void(const std::vector<std::pair<std::int64_t, std::int64_t>> &shots)> on_shots;
    std::vector<std::string> done_files; // rows that need not be made again
    std::function<void(std::size_t job, const std::vector<nlohmann::json> &rows)> on_rows; // instead of an output
};

struct Options {
    // Sources
    std::vector<std::string> sources;
    std::optional<int> width, height, stream;
    std::optional<std::string> pix_fmt, framerate;
    std::optional<double> duration;
    std::string hdr = "auto", source_hash = "fast", odd = "refuse";
    bool deinterlace = false, allow_damaged = false;

    // Programs
    std::string ffmpeg = "ffmpeg", ffprobe = "ffprobe", vmaf = "vmaf";

    // Encoding
    std::vector<std::string> encoders, presets, enc, enc_input, variants;
    bool encoder_generic = false, two_pass = false, keep = false;
    std::string vfilter, out_pix_fmt, keyint;
    std::optional<std::string> reference_vfilter;
    std::optional<unsigned> bitrate;
    int max_tries = 3;
    std::string timeout;

    // Scoring
    std::string metric = "vmaf", pool = "mean", model = "auto", score_backend = "auto", scorer = "library";
    std::vector<std::string> also;
    unsigned score_threads = 0, subsample = 1;
    std::string score_scale = "auto", scaler = "bicubic", film_grain = "drop";
    bool allow_short = false;
    double dist_delay = 0;
    std::string align = "check", score_fps;

    // Sampling
    double sample_clip_seconds = 0;
    std::optional<int> samples;
    std::string sample_every = "12m", sample_duration = "20s", sample_at, sample_mode = "uniform";
    int min_samples = 1;

    // Running
    std::string cache_dir, cache_size = "10G", work_dir, output, format, progress = "auto", log, config;
    bool no_cache = false, overwrite = false, resume = false, append = false, retry_failed = false, dry_run = false,
         quiet = false, json = false, strict = false;
    int verbose = 0, progress_fd = 2;
    unsigned jobs = 0, encode_jobs = 1, score_jobs = 0; // score_jobs 0: 1, or 2 on a GPU

    // Stages
    std::string score_transport = "pipe", ref_cache = "2Gi", cpus;
    std::optional<unsigned> device;
    bool cache_failures = false;

    // Targets and search
    std::optional<double> target_vmaf, target_bitrate;
    std::vector<std::string> targets;
    std::string search = "interp";
    std::optional<double> tolerance, min_q, max_q, q_step, start_q, max_encoded_percent, max_bitrate;
    std::string max_size;
    bool thorough = false, best_effort = false, verify_score = false;
    int max_iterations = 8;
    double noise = 0.3;
    std::vector<double> fallback_targets;
    std::string from_corpus;

    // Grids
    std::vector<double> q_values;
    std::string q_range;

    // compare
    std::vector<std::string> compare_encoders;
    std::string baseline;

    // ladder
    std::string resolutions, target_vmafs = "95,90,85,75,65", spacing = "log_bitrate", points;
    int quality_tiers = 5;

    // per-shot
    std::string plan_out, script_out, segment_dir, shots;
    std::optional<double> diff_threshold; // cuts by plain differences
    int min_shot = 24;
    std::string max_shot = "10s";
    bool run = false;

    // score
    std::string reference;
    std::vector<std::string> distorted;
    std::string frames_out;
    std::string pair = "auto", start_offset;
    std::int64_t num_frames = 0;

    // cache
    std::string older, shrink_to;
    bool remove_scratch = false;

    // report
    std::vector<std::string> inputs;
    std::string title = "vmaf-tune report", csv;
    std::vector<std::string> frame_files, svg; // svg: kind and file
    std::vector<double> report_targets;
    unsigned thumbnails = 5;

    // completions
    std::string shell = "bash";

    // Samples: what several of them count as, and whether the whole confirms them
    std::string sample_aggregate = "pooled";
    bool verify_full = false;
    double verify_margin = 0.5;

    // Coarse searches
    bool coarse_to_fine = false;
    double coarse_step = 10, fine_radius = 5, fine_step = 1;

    // Answers from existing rows
    bool interpolate = false, allow_mixed_models = false, per_source = false;

    // Lists of sources, and rows
    std::string source_list, size_of;
    std::vector<std::string> outputs; // beside the sources of a list; may be empty
    bool unordered = false, shot_stats = false;
    int schema = 4;

    // Finished files
    std::string audio_codec;
    bool video_only = false, verify = false, fail_fast = false, overwrite_input = false;

    // More of per-shot and ladder
    std::string probe_preset, floor, zones, per_shot_bin;
    int probe_rate = 1;
    double max_q_step = 8, segment_seconds = 4;
    std::optional<std::int64_t> total_frames;
    std::optional<double> min_bitrate;

    ClusterOptions cluster;

    // Older flags
    std::optional<int> bitdepth;
    std::vector<std::string> notices; // said once, before work starts
};

void bind_source(CLI::App &app, Options &o, bool several);
void bind_encode(CLI::App &app, Options &o, bool several);
void bind_score(CLI::App &app, Options &o, bool has_model_alias = true); // --model is --vmaf-model
void bind_sampling(CLI::App &app, Options &o);
void bind_running(CLI::App &app, Options &o);
void bind_search(CLI::App &app, Options &o);
void bind_target(CLI::App &app, Options &o);        // what a search aims at, and its window
void bind_rows(CLI::App &app, Options &o);          // what rows state and how they are written
void bind_coarse_search(CLI::App &app, Options &o); // steps of a coarse search
void bind_source_list(CLI::App &app, Options &o);   // --source-list
void bind_cluster(CLI::App &app, Options &o);       // --executor and what Slurm is told
void bind_finished_file(CLI::App &app, Options &o); // what a finished file holds and how it is checked

// The flags that an encode needs besides source, encoder, preset and quality, where they are not the defaults.
std::vector<std::string> encode_flags(const Options &o);

// Sources and outputs of --source-list, added to what the command line names. Throws Error.
void read_source_list(Options &o);

double parse_duration(const std::string &text); // 12, 12s, 90ms, 3m, 1h2m, hh:mm:ss[.f]; throws Error
double parse_size(const std::string &text);     // 10G, 512Ki; throws Error

} // namespace vmaf::tune
