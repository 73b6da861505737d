#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "base/error.hpp"
#include "cli/add_option.hpp"
#include "stages/score.hpp"
#include "system/filesystem.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

namespace {

constexpr Choice<SourceHash> kSourceHashes[] = {
    {"fast", SourceHash::fast}, {"full", SourceHash::full}, {"none", SourceHash::none}};
constexpr Choice<OddSizes> kOddSizes[] = {
    {"refuse", OddSizes::refuse}, {"crop", OddSizes::crop}, {"pad", OddSizes::pad}};
constexpr Choice<bool> kFilmGrains[] = {{"drop", false}, {"keep", true}};
constexpr Choice<SampleMode> kSampleModes[] = {
    {"uniform", SampleMode::uniform}, {"scenes", SampleMode::scenes}, {"centre", SampleMode::centre}};
constexpr Choice<ProgressMode> kProgressModes[] = {{"auto", ProgressMode::automatic},
                                                   {"bar", ProgressMode::bar},
                                                   {"plain", ProgressMode::plain},
                                                   {"json", ProgressMode::json},
                                                   {"none", ProgressMode::none}};
constexpr Choice<ExecutorKind> kExecutors[] = {{"local", ExecutorKind::local}, {"slurm", ExecutorKind::slurm}};
constexpr Choice<SizeOf> kSizesOf[] = {{"stream", SizeOf::stream}, {"file", SizeOf::file}};
constexpr Choice<SearchMethod> kSearchMethods[] = {{"interp", SearchMethod::interp},
                                                   {"bisect", SearchMethod::bisect},
                                                   {"coarse", SearchMethod::coarse},
                                                   {"abav1", SearchMethod::abav1},
                                                   {"grid", SearchMethod::grid}};

// Converts 90ms, 3m, 1h2m and hh:mm:ss to seconds before parsing the number.
CLI::Validator as_seconds() {
    return CLI::Validator(
        [](std::string &text) -> std::string {
            try {
                text = number_text(parse_duration(text));
                return {};
            } catch (const Error &e) {
                return e.what();
            }
        },
        "", "seconds");
}

} // namespace

std::vector<std::string> encode_flags(const SourceOptions &source, const EncodingOptions &o) {
    std::vector<std::string> flags;
    const auto add = [&](const char *flag, const std::string &value) { flags.insert(flags.end(), {flag, value}); };
    if (o.two_pass) flags.emplace_back("--two-pass");
    if (o.bitrate) add("--bitrate", std::to_string(*o.bitrate));
    if (o.encoder_generic) flags.emplace_back("--encoder-generic");
    if (source.deinterlace) flags.emplace_back("--deinterlace");
    for (const std::string &item : o.enc) add("--enc", item);
    for (const std::string &item : o.enc_input) add("--enc-input", item);
    if (o.allow_unused_options) flags.emplace_back("--allow-unused-options");
    if (source.stream) add("--stream", std::to_string(*source.stream));
    for (const auto &[flag, value, plain] :
         {std::tuple("--vfilter", o.vfilter, ""), std::tuple("--out-pix-fmt", o.out_pix_fmt, ""),
          std::tuple("--keyint", o.keyint, "")})
        if (value != plain) add(flag, value);
    if (source.hdr != HdrWish::automatic) add("--hdr", word_of(kHdrWishes, source.hdr));
    if (source.odd != OddSizes::refuse) add("--odd", word_of(kOddSizes, source.odd));
    return flags;
}

void bind_programs(CLI::App &app, ProgramOptions &o) {
    const InGroup group(app, "Programs");
    add_option(app, "--ffmpeg-bin", o.ffmpeg, "ffmpeg to use");
    add_option(app, "--ffprobe-bin", o.ffprobe, "ffprobe to use");
    add_option(app, "--vmaf-bin", o.vmaf,
               "vmaf that scores (default: beside vmaf-tune; with --scorer binary: in PATH)");
}

void bind_plain_files(CLI::App &app, SourceOptions &o) {
    const InGroup group(app, "Source");
    add_option(app, "--width", o.width, "luma width (raw files)");
    add_option(app, "--height", o.height, "luma height (raw files)");
    add_option(app, "--pix-fmt", o.pix_fmt, "FFmpeg pixel format (raw files; default yuv420p)");
    add_option(app, "--framerate", o.framerate, "24, 23.976 or 30000/1001 (raw files; default 24)");
    app.add_flag("--deinterlace", o.deinterlace, "deinterlace interlaced sources (bwdif)");
    app.add_flag("--allow-damaged", o.allow_damaged, "accept a source with stream errors; noted in the answer");
}

void bind_source(CLI::App &app, SourceOptions &o, bool several) {
    const InGroup group(app, "Source");
    auto *source =
        add_option(app, "-i,--source,--src", o.sources, several ? "source video; may be repeated" : "source video")
            ->required();
    if (!several) source->expected(1);
    bind_plain_files(app, o);
    add_option(app, "--duration", o.duration, "length in seconds, if the file does not state it")
        ->transform(as_seconds());
    add_option(app, "--stream", o.stream, "video stream number");
    add_choice(app, "--hdr", o.hdr, kHdrWishes, "dynamic range of the source");
    // Older flags for the same choice.
    for (const auto &[flag, wish] :
         {std::pair("--auto-hdr", HdrWish::automatic), std::pair("--force-sdr", HdrWish::sdr),
          std::pair("--force-hdr-pq", HdrWish::pq), std::pair("--force-hdr-hlg", HdrWish::hlg)})
        app.add_flag_callback(
            flag, [&o, value = wish] { o.hdr = value; }, std::string("same as --hdr ") + word_of(kHdrWishes, wish));
    add_choice(app, "--source-hash", o.hash, kSourceHashes, "how the cache identifies the source");
    app.add_flag_callback(
        "--no-source-hash", [&o] { o.hash = SourceHash::none; }, "same as --source-hash none: no cache");
    add_choice(app, "--odd", o.odd, kOddSizes, "what to do with odd sizes in 4:2:0");
}

void bind_encode(CLI::App &app, EncodingOptions &o, bool several) {
    const InGroup group(app, "Encoding");
    add_option(app, "-e,--encoder,--codec", o.encoders,
               several ? "encoder; may be repeated (default libx264)" : "encoder (default libx264)");
    app.add_flag("--encoder-generic", o.encoder_generic, "accept encoders without an adapter (-preset, -crf)");
    add_option(app, "--preset", o.presets, "placebo, slowest ... medium ... ultrafast, or one of the encoder's own");
    add_option(app, "--enc", o.enc, "extra encoder option, KEY=VALUE; may be repeated");
    app.add_flag("--allow-unused-options", o.allow_unused_options,
                 "accept --enc options that the encoder does not use");
    add_option(app, "--enc-input", o.enc_input, "extra input option, KEY=VALUE; may be repeated");
    add_option(app, "--vfilter", o.vfilter, "FFmpeg filter for the encode and the reference");
    add_option(app, "--reference-vfilter", o.reference_vfilter, "different filter for the reference (copy: none)");
    add_option(app, "--out-pix-fmt", o.out_pix_fmt, "pixel format for the encoder");
    add_option(app, "--keyint", o.keyint, "key frame interval in frames, or a duration such as 10s");
    app.add_flag("--two-pass", o.two_pass, "encode in two passes (with --bitrate)");
    add_option(app, "--bitrate", o.bitrate, "target in kbps (with --two-pass)");
    add_option(app, "--max-tries", o.max_tries, "attempts if an encoder crashes")->check(CLI::Range(1, 20));
    app.add_flag("--keep,--keep-encodes", o.keep, "keep the encodes, in --work-dir or the folder 'encodes'");
}

void bind_score(CLI::App &app, ScoringOptions &o, bool has_model_alias) {
    const InGroup group(app, "Scoring");
    add_option(app, "--metric", o.metric, "target metric")->check(CLI::IsMember(metric_names()));
    add_option(app, "--also", o.also, "another metric to record; may be repeated");
    app.add_option_function<std::vector<std::string>>(
           "--metrics",
           [&o](const std::vector<std::string> &names) {
               o.metric = names.front();
               o.also.insert(o.also.begin(), names.begin() + 1, names.end());
           },
           "comma-separated list: --metric, then --also for the others")
        ->delimiter(',')
        ->check(CLI::IsMember(metric_names()));
    add_option(app, "--pool", o.pool,
               "how frames are pooled: mean, harmonic, median, min, max, rms, mode, percentile=P or stddev=X");
    add_option(app, has_model_alias ? "--vmaf-model,--model" : "--vmaf-model", o.model, "auto, a version or path=FILE");
    app.add_flag_callback(
        "--no-resolution-aware", [&o] { o.model = "vmaf_v0.6.1"; }, "same as --vmaf-model vmaf_v0.6.1");
    add_choice(app, "--score-backend", o.score_backend, kBackendWishes, "where to score; a name is strict");
    add_choice(app, "--scorer", o.scorer, kScorers,
               "one vmaf for all scores (library), or a process per score (binary)");
    add_option(app, "--score-threads", o.score_threads, "threads per score (default: cores / score jobs)");
    add_option(app, "--subsample", o.subsample, "score every Nth frame only")->check(CLI::Range(1, 1000));
    add_option(app, "--score-scale", o.score_scale, "size for scoring: auto, none or WxH");
    add_option(app, "--scaler", o.scaler, "scaling algorithm");
    add_choice(app, "--film-grain", o.keep_film_grain, kFilmGrains, "AV1 film grain in the score");
    app.add_flag("--allow-short", o.allow_short, "score the common part if frame counts differ");
    add_option(app, "--dist-delay", o.dist_delay,
               "seconds to cut from the start of the reference (negative: of the encode)");
    add_choice(app, "--score-transport", o.score_transport, kScoreTransports,
               "how frames reach the scorer: pipes, files in the scratch folder, or both files as they are (direct; "
               "nothing to convert; compressed files: with cuda); auto: direct on a GPU where frames are the same, "
               "else pipes");
    add_option(app, "--ref-cache", o.ref_cache, "memory for decoded reference frames (0: decode them for each probe)");
    add_option(app, "--device", o.device, "number of the GPU to score on");
}

void bind_sampling(CLI::App &app, SamplingOptions &o) {
    const InGroup group(app, "Sampling");
    add_option(app, "--sample-clip-seconds,--sample-chunk-seconds", o.sample_clip_seconds,
               "use only the middle N seconds (0: off)")
        ->transform(as_seconds());
    add_option(app, "--samples", o.samples, "number of samples")->check(CLI::Range(1, 1000));
    add_option(app, "--sample-every", o.sample_every, "take one sample per this duration");
    add_option(app, "--min-samples", o.min_samples, "lower limit of the number of samples");
    add_option(app, "--sample-duration", o.sample_duration, "length of a sample (0: no sampling)");
    add_choice(app, "--sample-mode", o.sample_mode, kSampleModes,
               "evenly spread, one per kind of shot, or one in the middle");
    add_option(app, "--sample-at", o.sample_at, "comma-separated start times");
    add_choice(app, "--sample-aggregate", o.sample_aggregate, kSampleAggregates,
               "score of several samples: over all their frames, the mean of their scores, or the lowest");
}

void bind_running(CLI::App &app, RunningOptions &o) {
    const InGroup group(app, "Running");
    add_option(app, "--cache-dir", o.cache_dir, "folder of the cache");
    app.add_flag("--no-cache", o.no_cache, "do not use the cache");
    add_option(app, "--cache-size", o.cache_size, "size limit of the cache");
    app.add_flag("--cache-failures", o.cache_failures, "cache failures too");
    add_option(app, "--work-dir,--encode-dir,--temp-dir", o.work_dir, "scratch folder");
    add_option(app, "-o,--output", o.output, "result file (-: standard output)");
    app.add_flag("-y,--overwrite", o.overwrite, "replace existing results");
    add_option(app, "--timeout", o.timeout,
               "kill a program after this long without progress; 0: never (default: after 10 idle minutes)");
    add_option(app, "--jobs,--max-workers", o.jobs, "encodes and scores at a time (default: 1)")
        ->check(CLI::Range(1, 256));
    app.add_flag_callback(
        "--no-parallel", [&o] { o.jobs = 1; }, "same as --jobs 1");
    add_option(app, "--encode-jobs", o.encode_jobs, "encodes at a time")->check(CLI::Range(1, 256));
    add_option(app, "--score-jobs", o.score_jobs, "scores at a time (default: 1; 2 on a GPU)")
        ->check(CLI::Range(1, 256));
    add_option(app, "--cpus", o.cpus, "processors to use, such as 0-3,8; each job gets a share");
    add_choice(app, "--progress", o.progress, kProgressModes, "how progress is shown");
    add_option(app, "--progress-fd", o.progress_fd, "file descriptor for --progress json");
    add_option(app, "--log", o.log, "write everything to a file, with command lines and time stamps");
    add_option(app, "--config", o.config, "file with defaults, one `flag = value` per line");
    app.add_flag_function(
        "-v,--verbose", [&o](std::int64_t count) { o.verbose = static_cast<int>(count); },
        "more messages; -vv: command lines, -vvv: output of programs");
    app.add_flag("-q,--quiet", o.quiet, "print errors only");
    app.add_flag("-n,--dry-run", o.dry_run, "print commands instead of running them");
    app.add_flag("--json", o.json, "print results as JSON lines");
    app.add_flag("--strict", o.strict, "treat warnings as errors before work starts");
}

void bind_cluster(CLI::App &app, ClusterOptions &c) {
    const InGroup group(app, "Cluster");
    const auto add = [&](const char *name, auto &value, const char *what) {
        return add_option(app, name, value, what);
    };
    add_choice(app, "--executor", c.executor, kExecutors, "run on this machine, or as a Slurm job array");
    add("--shared", c.shared, "folder that all nodes share, for rows, results and encodes");
    add("--tasks", c.tasks, "maximum number of tasks (default: one per processor, or per --cpus-per-task of them)")
        ->check(CLI::Range(1, 100000));
    add("--partition", c.partition, "Slurm partition");
    add("--constraint", c.constraint, "node features required");
    add("--gres", c.gres, "resources per task, such as gpu:1; with a GPU, only cuda scores");
    add("--cpus-per-task", c.cpus_per_task, "processors per task");
    add("--mem", c.memory, "memory per task");
    add("--time", c.time_limit, "time limit per task; unfinished work is submitted again");
    add("--account", c.account, "Slurm account");
    add("--qos", c.qos, "Slurm quality of service");
    add("--sbatch", c.sbatch, "other sbatch option, such as exclusive or nodelist=n[1-4]; may be repeated");
    app.add_flag("--detach", c.detach, "submit and exit; follow the run with vmaf-tune status");
}

void bind_target(CLI::App &app, SearchOptions &o) {
    const InGroup group(app, "Search");
    add_option(app, "--target-vmaf", o.target_vmaf, "VMAF to reach");
    add_option(app, "--target", o.targets, "METRIC>=VALUE or METRIC:POOL>=VALUE; may be repeated");
    add_option(app, "--min-q,--crf-min,--min-crf", o.min_q, "smallest quality value");
    add_option(app, "--max-q,--crf-max,--max-crf", o.max_q, "largest quality value");
    add_option(app, "--q-step,--crf-increment", o.q_step, "step of quality values");
    add_option(app, "--start-q", o.start_q, "first quality value to try");
    add_option(app, "--noise", o.noise, "ignore rises of the score up to this")->check(CLI::NonNegativeNumber);
}

void bind_encoding_command(CLI::App &app, ProbeRequest &o, const EncodingCommand &command) {
    bind_source(app, o, command.several_sources);
    if (!command.needs_source) app.get_option("--source")->required(false);
    bind_programs(app, o);
    bind_encode(app, o, command.several_encoders);
    bind_score(app, o, command.model_alias);
    if (command.samples) bind_sampling(app, o);
    bind_running(app, o);
}

void bind_search(CLI::App &app, SearchOptions &o) {
    const InGroup group(app, "Search");
    bind_target(app, o);
    add_choice(app, "--search", o.search, kSearchMethods, "search method");
    add_option(app, "--tolerance", o.tolerance, "stop at a score at most this far above the target")
        ->check(CLI::NonNegativeNumber);
    app.add_flag("--thorough", o.thorough, "same as --tolerance 0");
    add_option(app, "--max-iterations,--probes", o.max_iterations, "maximum number of probes (bisect)")
        ->check(CLI::Range(1, 1000));
    add_option(app, "--max-encoded-percent", o.max_encoded_percent, "size limit in percent of the source's size")
        ->check(CLI::PositiveNumber);
    add_option(app, "--max-bitrate", o.max_bitrate, "bitrate limit in kbps")->check(CLI::PositiveNumber);
    add_option(app, "--max-size", o.max_size, "size limit of the encode, such as 700M");
    app.add_flag("--best-effort", o.best_effort, "if the target is out of reach, return the nearest value and exit 0");
    add_option(app, "--fallback-targets", o.fallback_targets, "lower targets to try in turn")->delimiter(',');
    app.add_flag("--verify-full", o.verify_full, "after a search on samples, encode and score the whole file once");
    add_option(app, "--verify-margin", o.verify_margin,
               "improve the quality if the whole file misses by more than this")
        ->check(CLI::NonNegativeNumber);
    bind_coarse_search(app, o);
}

void bind_coarse_search(CLI::App &app, SearchOptions &o) {
    const InGroup group(app, "Search");
    add_option(app, "--coarse-step", o.coarse_step, "coarse search: step of the first values")
        ->check(CLI::PositiveNumber);
    add_option(app, "--fine-step", o.fine_step, "coarse search: step of the values in between")
        ->check(CLI::PositiveNumber);
    add_option(app, "--fine-radius", o.fine_radius, "coarse search without a target: range around the best value")
        ->check(CLI::NonNegativeNumber);
}

void bind_rows(CLI::App &app, RowOptions &o) {
    const InGroup group(app, "Rows");
    add_choice(app, "--size-of", o.size_of, kSizesOf, "measure the size of the video packets or of the file");
    app.add_flag("--shot-stats", o.shot_stats, "fill the shot columns (decodes the source once more)");
    add_option(app, "--schema", o.schema, "row format; 3: the 54 older columns, with NaN and file sizes")
        ->check(CLI::IsMember({3, 4}));
}

void bind_source_list(CLI::App &app, SourceOptions &o) {
    const InGroup group(app, "Source");
    app.get_option("--source")->required(false);
    add_option(app, "--source-list", o.source_list, "file with one source per line (-: standard input)");
}

void read_source_list(SourceOptions &o) {
    if (o.source_list.empty()) return;
    system::fs::ifstream file;
    if (o.source_list != "-") file.open(o.source_list);
    std::istream &lines = o.source_list == "-" ? std::cin : file;
    if (!lines) throw invalid("the list '" + o.source_list + "' cannot be read");
    o.outputs.resize(o.sources.size());
    for (std::string line; std::getline(lines, line);) {
        if (line.ends_with("\r")) line.pop_back();
        if (line.empty()) continue;
        const std::size_t tab = line.find('\t');
        o.sources.push_back(line.substr(0, tab));
        o.outputs.push_back(tab == std::string::npos ? "" : line.substr(tab + 1));
    }
    if (o.sources.empty()) throw invalid("the list '" + o.source_list + "' names no source");
}

double parse_duration(const std::string &text) {
    const auto bad = [&] { return invalid("'" + text + "' is not a duration; use 12, 90ms, 3m, 1h2m or hh:mm:ss"); };
    if (text.empty()) throw bad();
    double total = 0;
    const char *at = text.c_str();
    if (text.find(':') != std::string::npos) {
        for (;;) {
            char *end = nullptr;
            const double part = std::strtod(at, &end);
            if (end == at || part < 0) throw bad();
            total = total * 60 + part;
            if (*end == 0) return total;
            if (*end != ':') throw bad();
            at = end + 1;
        }
    }
    while (*at) {
        char *end = nullptr;
        const double part = std::strtod(at, &end);
        if (end == at || part < 0 || !std::isfinite(part)) throw bad();
        const std::string_view unit = end;
        if (unit.empty()) {
            total += part;
            at = end;
        } else if (unit.starts_with("ms")) {
            total += part / 1000;
            at = end + 2;
        } else if (unit[0] == 's' || unit[0] == 'm' || unit[0] == 'h') {
            total += part * (unit[0] == 's' ? 1 : unit[0] == 'm' ? 60 : 3600);
            at = end + 1;
        } else {
            throw bad();
        }
    }
    return total;
}

double parse_size(const std::string &text) {
    char *end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const std::string unit = end;
    const auto bad = [&] { return invalid("'" + text + "' is not a size; use 700M, 10G or 512Ki"); };
    if (end == text.c_str() || number < 0 || !std::isfinite(number)) throw bad();
    if (unit.empty() || unit == "B") return number;
    const std::size_t power =
        std::string("KMGT").find(static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0]))));
    if (power == std::string::npos) throw bad();
    const std::string rest = unit.substr(1);
    if (!rest.empty() && rest != "i" && rest != "iB" && rest != "B") throw bad();
    return number * std::pow(rest.starts_with("i") ? 1024.0 : 1000.0, double(power + 1));
}

} // namespace vmaf::tune
