// What the command line can say. One struct for all subcommands; each binds the groups it needs.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "backend/score_backend.hpp"
#include "search/search.hpp"
#include "stages/probe.hpp"

namespace vmaf::tune {

enum class SourceHash { fast, full, none };
enum class OddSizes { refuse, crop, pad };
enum class SampleMode { uniform, scenes, centre };
enum class ProgressMode { automatic, bar, plain, json, none };
enum class ExecutorKind { local, slurm };
enum class SizeOf { stream, file };

// Work on several machines: what --executor slurm is told, and what its tasks are told by it.
struct ClusterOptions { // NOLINT(bugprone-exception-escape): nothing says that it throws nothing
    ExecutorKind executor = ExecutorKind::local;
    std::string shared, partition, constraint, gres, time_limit, account, qos, memory;
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
    std::function<void(const std::string &sentence)> on_summary; // of a run that has ended, for whoever watches it
    std::vector<std::string> done_files;                         // rows that need not be made again
    std::function<void(std::size_t job, const std::vector<nlohmann::json> &rows)> on_rows; // instead of an output
};

// What a command reads and writes besides what all commands have: no output may overwrite an input.
struct CommandFiles {
    struct Input {
        const char *what;
        std::string path;
    };
    std::vector<Input> inputs;
    std::vector<std::string> outputs;
};

// What several subcommands share, in groups that each of them binds as it needs. What one subcommand alone knows is in
// a struct of its own, in its header.
struct Options {
    // Sources
    std::vector<std::string> sources;
    std::optional<int> width, height, stream;
    std::optional<std::string> pix_fmt, framerate;
    std::optional<double> duration;
    HdrWish hdr = HdrWish::automatic;
    SourceHash source_hash = SourceHash::fast;
    OddSizes odd = OddSizes::refuse;
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
    std::string metric = "vmaf", pool = "mean", model = "auto";
    BackendWish score_backend = BackendWish::automatic;
    Scorer scorer = Scorer::library;
    ScoreTransport score_transport = ScoreTransport::pipe;
    std::vector<std::string> also;
    unsigned score_threads = 0, subsample = 1;
    std::string score_scale = "auto", scaler = "bicubic";
    bool allow_short = false, keep_film_grain = false;
    double dist_delay = 0;

    // Sampling
    double sample_clip_seconds = 0;
    std::optional<int> samples;
    std::string sample_every = "12m", sample_duration = "20s", sample_at;
    SampleMode sample_mode = SampleMode::uniform;
    int min_samples = 1;

    // Running
    std::string cache_dir, cache_size = "10G", work_dir, output, log, config;
    ProgressMode progress = ProgressMode::automatic;
    bool no_cache = false, overwrite = false, dry_run = false, quiet = false, json = false, strict = false;
    int verbose = 0, progress_fd = 2;
    unsigned jobs = 0, encode_jobs = 1, score_jobs = 0; // score_jobs 0: 1, or 2 on a GPU

    // Stages
    std::string ref_cache = "2Gi", cpus;
    std::optional<unsigned> device;
    bool cache_failures = false;

    // Targets and search
    std::optional<double> target_vmaf, target_bitrate;
    std::vector<std::string> targets;
    SearchMethod search = SearchMethod::interp;
    std::optional<double> tolerance, min_q, max_q, q_step, start_q, max_encoded_percent, max_bitrate;
    std::string max_size;
    bool thorough = false, best_effort = false;
    int max_iterations = 8;
    double noise = 0.3;
    std::vector<double> fallback_targets;
    std::string from_corpus;

    // Grids
    std::vector<double> q_values;

    // Samples: what several of them count as, and whether the whole confirms them
    SampleAggregate sample_aggregate = SampleAggregate::pooled;
    bool verify_full = false;
    double verify_margin = 0.5;

    // Coarse searches
    double coarse_step = 10, fine_radius = 5, fine_step = 1;

    // Answers from existing rows
    bool allow_mixed_models = false;

    // Lists of sources, and rows
    std::string source_list;
    std::optional<SizeOf> size_of;    // of what a row states
    std::vector<std::string> outputs; // beside the sources of a list; may be empty
    bool shot_stats = false;
    int schema = 4;

    // Finished files
    bool overwrite_input = false; // the output may be the source itself

    // Older flags
    std::optional<std::int64_t> total_frames;

    ClusterOptions cluster;
    std::vector<std::function<CommandFiles()>> files; // of the commands; those that are not run have none
    std::optional<int> bitdepth;
    std::vector<std::string> notices; // said once, before work starts
};

void bind_source(CLI::App &app, Options &o, bool several);
void bind_encode(CLI::App &app, Options &o, bool several);
void bind_score(CLI::App &app, Options &o, bool has_model_alias = true); // --model is --vmaf-model
void bind_sampling(CLI::App &app, Options &o);
void bind_running(CLI::App &app, Options &o);
void bind_programs(CLI::App &app, Options &o);
void bind_plain_files(CLI::App &app, Options &o); // what raw files do not say, and what is done about doubtful ones
// What commands have in common that make encodes and look at them: source, encoding, scoring, samples and running.
struct EncodingCommand {
    bool several_sources = false, several_encoders = false, needs_source = true;
    bool samples = true;     // else the command itself chooses what is looked at
    bool model_alias = true; // --model is --vmaf-model
};
void bind_encoding_command(CLI::App &app, Options &o, const EncodingCommand &command);
void bind_search(CLI::App &app, Options &o);
void bind_target(CLI::App &app, Options &o);        // what a search aims at, and its window
void bind_rows(CLI::App &app, Options &o);          // what rows state and how they are written
void bind_coarse_search(CLI::App &app, Options &o); // steps of a coarse search
void bind_source_list(CLI::App &app, Options &o);   // --source-list
void bind_cluster(CLI::App &app, Options &o);       // --executor and what Slurm is told

// The flags that an encode needs besides source, encoder, preset and quality, where they are not the defaults.
std::vector<std::string> encode_flags(const Options &o);

// Sources and outputs of --source-list, added to what the command line names. Throws Error.
void read_source_list(Options &o);

double parse_duration(const std::string &text); // 12, 12s, 90ms, 3m, 1h2m, hh:mm:ss[.f]; throws Error
double parse_size(const std::string &text);     // 10G, 512Ki; throws Error

} // namespace vmaf::tune
