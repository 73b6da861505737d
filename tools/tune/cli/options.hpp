// Parsed command lines, in groups that several commands share. A command's request combines the groups that it needs
// with its own options; a function takes the group that it reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/score_backend.hpp"
#include "search/search.hpp"
#include "stages/probe.hpp"

namespace CLI {
class App;
}

namespace vmaf::tune {

enum class OddSizes { refuse, crop, pad };
enum class SampleMode { uniform, scenes, centre };
enum class ProgressMode { automatic, bar, plain, json, none };
enum class ExecutorKind { local, slurm };
enum class SizeOf { stream, file };

struct SourceOptions : SourceWishes {
    std::vector<std::string> sources;
    std::string source_list;
    std::vector<std::string> outputs; // paired with the sources of a list; may be empty
    std::optional<int> bitdepth;
    OddSizes odd = OddSizes::refuse;
    bool allow_damaged = false;
};

struct ProgramOptions {
    std::string ffmpeg = "ffmpeg", ffprobe = "ffprobe", vmaf; // for the last see scorer_program()
};

struct EncodingOptions {
    std::vector<std::string> encoders, presets, enc, enc_input, variants;
    std::vector<double> q_values;
    bool encoder_generic = false, two_pass = false, keep = false, allow_unused_options = false;
    std::string vfilter, out_pix_fmt, keyint;
    std::optional<std::string> reference_vfilter;
    std::optional<unsigned> bitrate;
    int max_tries = 3;
};

struct ScoringOptions {
    std::string metric = "vmaf", pool = "mean", model = "auto";
    BackendWish score_backend = BackendWish::automatic;
    Scorer scorer = Scorer::library;
    ScoreTransport score_transport = ScoreTransport::automatic;
    std::vector<std::string> also;
    unsigned score_threads = 0, subsample = 1;
    std::string score_scale = "auto", scaler = "bicubic", ref_cache = "2Gi";
    std::optional<unsigned> device;
    bool allow_short = false, keep_film_grain = false;
    double dist_delay = 0;
};

struct SamplingOptions {
    double sample_clip_seconds = 0;
    std::optional<int> samples;
    std::string sample_every = "12m", sample_duration = "20s", sample_at;
    SampleMode sample_mode = SampleMode::uniform;
    SampleAggregate sample_aggregate = SampleAggregate::pooled;
    int min_samples = 1;
};

// What rows contain and how they are written.
struct RowOptions {
    std::optional<SizeOf> size_of;
    bool shot_stats = false;
    int schema = 4;
};

struct RunningOptions {
    std::string cache_dir, cache_size = "10G", work_dir, output, log, config, timeout, cpus;
    ProgressMode progress = ProgressMode::automatic;
    bool no_cache = false, cache_failures = false, overwrite = false, dry_run = false, quiet = false, json = false,
         strict = false;
    int verbose = 0, progress_fd = 2;
    unsigned jobs = 0, encode_jobs = 1, score_jobs = 0; // score_jobs 0: 1, or 2 on a GPU
    std::vector<std::string> notices;                   // printed once, before work starts
    std::string store, run_folder;                      // of a run on several machines, which share results
};

// What a search aims at, its window, and its method.
struct SearchOptions {
    std::optional<double> target_vmaf, target_bitrate;
    std::vector<std::string> targets;
    SearchMethod search = SearchMethod::interp;
    std::optional<double> tolerance, min_q, max_q, q_step, start_q, max_encoded_percent, max_bitrate;
    std::string max_size;
    bool thorough = false, best_effort = false, verify_full = false;
    int max_iterations = 8;
    double noise = 0.3, verify_margin = 0.5;
    std::vector<double> fallback_targets;
    double coarse_step = 10, fine_radius = 5, fine_step = 1;
};

// For answers from existing rows.
struct CorpusInput {
    std::string from_corpus;
    bool allow_mixed_models = false;
};

// For work on several machines: options of --executor slurm, and what it passes to its tasks.
struct ClusterOptions { // NOLINT(bugprone-exception-escape): nothing guarantees that it does not throw
    ExecutorKind executor = ExecutorKind::local;
    std::string shared, partition, constraint, gres, time_limit, account, qos, memory;
    std::vector<std::string> sbatch; // more options for sbatch
    unsigned tasks = 0, cpus_per_task = 0;
    bool detach = false;
};

// The request of everything that encodes and scores.
struct ProbeRequest : SourceOptions,
                      ProgramOptions,
                      EncodingOptions,
                      ScoringOptions,
                      SamplingOptions,
                      RowOptions,
                      RunningOptions {};

void bind_source(CLI::App &app, SourceOptions &o, bool several);
void bind_encode(CLI::App &app, EncodingOptions &o, bool several);
void bind_score(CLI::App &app, ScoringOptions &o, bool has_model_alias = true); // --model means --vmaf-model
void bind_sampling(CLI::App &app, SamplingOptions &o);
void bind_running(CLI::App &app, RunningOptions &o);
void bind_programs(CLI::App &app, ProgramOptions &o);
void bind_plain_files(CLI::App &app,
                      SourceOptions &o); // facts that raw files lack, and how to treat doubtful ones
// Groups shared by commands that make and examine encodes: source, encoding, scoring, samples and running.
struct EncodingCommand {
    bool several_sources = false, several_encoders = false, needs_source = true;
    bool samples = true;     // else the command chooses what to examine
    bool model_alias = true; // --model means --vmaf-model
};
void bind_encoding_command(CLI::App &app, ProbeRequest &o, const EncodingCommand &command);
void bind_search(CLI::App &app, SearchOptions &o);
void bind_target(CLI::App &app, SearchOptions &o);        // what a search aims at, and its window
void bind_coarse_search(CLI::App &app, SearchOptions &o); // steps of a coarse search
void bind_rows(CLI::App &app, RowOptions &o);
void bind_source_list(CLI::App &app, SourceOptions &o); // --source-list
void bind_cluster(CLI::App &app, ClusterOptions &o);    // --executor and Slurm's options

// The non-default flags that an encode needs in addition to source, encoder, preset and quality.
std::vector<std::string> encode_flags(const SourceOptions &source, const EncodingOptions &encoding);

// Adds the sources and outputs of --source-list to those on the command line. Throws Error.
void read_source_list(SourceOptions &o);

double parse_duration(const std::string &text); // 12, 12s, 90ms, 3m, 1h2m, hh:mm:ss[.f]; throws Error
double parse_size(const std::string &text);     // 10G, 512Ki; throws Error

} // namespace vmaf::tune
