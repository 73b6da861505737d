#include "cli/run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "stages/scene_sampling.hpp"

namespace vmaf::tune {

namespace fs = std::filesystem;

namespace {

constexpr const char *kPrefix = ".vmaf-tune-";
constexpr auto kSettled = std::chrono::minutes(1); // a younger folder may not have been locked by its owner yet

// Folders of runs that were killed: their owner holds the lock no more. Kept folders have none.
void remove_stale_folders(const std::string &base) {
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(base, error)) {
        if (!entry.path().filename().string().starts_with(kPrefix) || !entry.is_directory(error)) continue;
        const auto changed = fs::last_write_time(entry.path(), error);
        if (error || fs::file_time_type::clock::now() - changed < kSettled) continue;
        const int fd = ::open((entry.path() / ".lock").c_str(), O_RDWR | O_CLOEXEC);
        if (fd < 0) continue;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), error);
        ::close(fd);
    }
}

} // namespace

WorkFolder::WorkFolder(const std::string &wish, bool keep) : keep_(keep) {
    const char *tmp = std::getenv("TMPDIR");
    const std::string base = wish.empty() ? (tmp && *tmp ? tmp : "/tmp") : wish;
    std::error_code error;
    fs::create_directories(base, error);
    remove_stale_folders(base);
    std::string name = base + "/" + kPrefix + "XXXXXX";
    if (!mkdtemp(name.data())) // made with mode 0700
        throw CommandError(kExitOutput, "no scratch folder can be made in '" + base + "'; give another --work-dir");
    path_ = name;
    if (!keep_) {
        lock_ = ::open((path_ + "/.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (lock_ >= 0) flock(lock_, LOCK_EX | LOCK_NB);
    }
    const fs::space_info space = fs::space(path_, error);
    if (!error && space.available < (64u << 20)) {
        fs::remove_all(path_, error);
        throw CommandError(kExitOutput, "less than 64 MB are free in '" + base + "'; give another --work-dir");
    }
}

WorkFolder::~WorkFolder() {
    std::error_code error;
    if (!keep_)
        fs::remove_all(path_, error);
    else if (fs::is_empty(path_, error))
        fs::remove(path_, error);
    if (lock_ >= 0) ::close(lock_);
}

Arguments scorer_program(const Options &options) {
    if (options.scorer == "binary") return {options.vmaf};
    return {fs::read_symlink("/proc/self/exe").string(), "__vmaf"};
}

namespace {

// Without a single device node no backend but the processor can work, and asking the scorer would take longer than
// everything else at the start.
bool may_have_gpu() {
#if defined(__linux__)
    for (const char *node :
         {"/dev/nvidiactl", "/dev/nvidia0", "/dev/dri", "/dev/kfd", "/dev/dxg", "/dev/nvhost-gpu", "/dev/nvmap"})
        if (access(node, F_OK) == 0) return true;
    return false;
#else
    return true;
#endif
}

} // namespace

Run::Run(const Options &options, bool scores) : options_(options), progress_(options) {
    if (options_.jobs > 0) options_.encode_jobs = options_.score_jobs = options_.jobs;
    const auto program = [](const std::string &name, const char *flag) {
        const auto path = find_program(name);
        if (!path)
            throw usage_error("'" + name + "' was not found; install it (Debian: apt-get install ffmpeg) or give " +
                              flag);
        return *path;
    };
    programs_.ffmpeg = program(options.ffmpeg, "--ffmpeg-bin");
    programs_.ffprobe = program(options.ffprobe, "--ffprobe-bin");
    if (!options.no_cache && options.source_hash != "none") {
        const std::string folder = options.cache_dir.empty() ? default_cache_folder() : options.cache_dir;
        try {
            cache_ = std::make_unique<Cache>(folder, static_cast<std::uint64_t>(parse_size(options.cache_size)));
        } catch (const Error &e) {
            if (!options.cache_dir.empty()) throw CommandError(kExitOutput, e.what());
            progress_.warn(e.what());
        }
    }
    programs_.facts = cache_.get();
    programs_.ffmpeg_version = ffmpeg_version(programs_);
    if (scores && options.scorer == "binary") options_.vmaf = programs_.vmaf = program(options.vmaf, "--vmaf-bin");
    if (scores) {
        // An explicit cpu needs no survey; everything else is settled before the first encode.
        const bool plain = options.score_backend == "auto" && options.scorer == "library" && !may_have_gpu();
        if (options.score_backend != "cpu" && !plain) {
            try {
                backend_ = resolve_backend(options.score_backend, survey_backends(scorer_program(options_)));
            } catch (const BackendNotUsable &e) {
                throw CommandError(kExitBackend, e.what());
            }
        }
        progress_.note("vmaf-tune: scoring backend = " + backend_);
    }
    work_folder_ = std::make_unique<WorkFolder>(options.work_dir, options.keep);
    slots_ = std::make_unique<Slots>(options_.encode_jobs, options_.score_jobs);
}

Source Run::open_source(const std::string &path) {
    SourceRequest request;
    request.path = path;
    request.width = options_.width;
    request.height = options_.height;
    request.stream = options_.stream;
    request.pix_fmt = options_.pix_fmt;
    request.framerate = options_.framerate;
    request.duration = options_.duration;
    request.hdr = options_.hdr;
    request.ffprobe = programs_.ffprobe;
    request.hash = options_.source_hash == "full"   ? SourceRequest::Hash::full
                   : options_.source_hash == "none" ? SourceRequest::Hash::none
                                                    : SourceRequest::Hash::fast;
    try {
        Source source = probe_source(request);
        if (source.field_order != "progressive" && source.field_order != "unknown")
            progress_.warn("'" + path + "' is interlaced (" + source.field_order +
                           "); VMAF expects progressive pictures: consider --vfilter bwdif");
        if (source.vfr)
            progress_.warn("'" + path +
                           "' has a variable frame rate; frames are paired by number, none is repeated or dropped");
        return source;
    } catch (const Error &e) {
        throw usage_error(e.what());
    }
}

const Adapter &Run::adapter(const std::string &name) {
    const Adapter *found = find_adapter(name);
    if (!found) {
        if (!options_.encoder_generic) {
            std::string known;
            for (const Adapter &a : adapters()) known += (known.empty() ? "" : ", ") + a.name;
            throw usage_error("there is no adapter for the encoder '" + name + "'; known: " + known +
                              "; --encoder-generic accepts any encoder with -preset and -crf");
        }
        found = &generic_.try_emplace(name, generic_adapter(name)).first->second;
    }
    try {
        try_encoder(programs_, *found);
    } catch (const Error &e) {
        throw usage_error(e.what());
    }
    return *found;
}

ScoreSettings Run::score_settings() const {
    ScoreSettings s;
    s.model = options_.model;
    const auto add = [&](const std::string &name) {
        const auto metric = metric_choice(name);
        if (!metric) throw usage_error("the metric '" + name + "' is not known here");
        for (const MetricChoice &known : s.metrics)
            if (known.name == name) return;
        s.metrics.push_back(*metric);
    };
    add(options_.metric);
    for (const std::string &name : options_.also) add(name);
    s.backend = backend_;
    s.scorer = options_.scorer;
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    s.threads = options_.score_threads ? options_.score_threads : std::max(1u, cores / options_.score_jobs);
    s.subsample = options_.subsample;
    s.scale = options_.score_scale;
    s.scaler = options_.scaler;
    s.drop_film_grain = options_.film_grain == "drop";
    s.allow_short = options_.allow_short;
    s.dist_delay = options_.dist_delay;
    s.work_folder = work_folder();
    if (!options_.timeout.empty())
        s.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * parse_duration(options_.timeout)));
    try {
        pooled({1.0}, options_.pool);
        scored_size({640, 360}, options_.score_scale, 1080);
    } catch (const Error &e) {
        throw usage_error(e.what());
    }
    return s;
}

namespace {

// --enc KEY[=VALUE] as FFmpeg arguments; options that the tool sets itself are refused (2.1).
Arguments user_arguments(const std::vector<std::string> &items, const char *flag) {
    constexpr std::pair<std::string_view, std::string_view> kOwn[] = {{"i", "--source"},
                                                                      {"y", "--overwrite"},
                                                                      {"n", "--overwrite"},
                                                                      {"c:v", "--encoder"},
                                                                      {"vcodec", "--encoder"},
                                                                      {"codec:v", "--encoder"},
                                                                      {"crf", "--crf"},
                                                                      {"preset", "--preset"},
                                                                      {"pix_fmt", "--out-pix-fmt"},
                                                                      {"vf", "--vfilter"},
                                                                      {"filter:v", "--vfilter"},
                                                                      {"pass", "--two-pass"},
                                                                      {"passlogfile", "--two-pass"}};
    Arguments result;
    for (const std::string &item : items) {
        const std::size_t equals = item.find('=');
        std::string key = item.substr(0, equals);
        if (key.starts_with("-")) key.erase(0, key.find_first_not_of('-'));
        for (const auto &[own, instead] : kOwn)
            if (key == own)
                throw usage_error(std::string(flag) + " " + item + ": use " + std::string(instead) + " instead");
        result.push_back("-" + key);
        if (equals != std::string::npos) result.push_back(item.substr(equals + 1));
    }
    return result;
}

} // namespace

ProbeSetup Run::setup(const Source &source, const Adapter &adapter, const std::string &preset,
                      bool automatic_sampling) {
    ProbeSetup s;
    s.programs = programs_;
    s.source = source;
    s.encode.adapter = &adapter;
    s.encode.preset = preset.empty() ? std::string(adapter.default_preset()) : preset;
    if (!adapter.native_preset(s.encode.preset)) {
        std::string known;
        for (const std::string &name : adapter.preset_names()) known += (known.empty() ? "" : ", ") + name;
        throw usage_error(adapter.name + " has no preset '" + s.encode.preset + "'; it knows " + known);
    }
    s.encode.vfilter = options_.vfilter;
    s.encode.out_pix_fmt = options_.out_pix_fmt;
    s.encode.user_arguments = user_arguments(options_.enc, "--enc");
    s.encode.user_input_arguments = user_arguments(options_.enc_input, "--enc-input");
    s.encode.max_tries = options_.max_tries;
    if (options_.encode_jobs > 1)
        s.encode.threads = std::max(1u, std::thread::hardware_concurrency() / options_.encode_jobs);
    if (!options_.timeout.empty())
        s.encode.timeout =
            std::chrono::milliseconds(static_cast<std::int64_t>(1000 * parse_duration(options_.timeout)));
    if (options_.two_pass) {
        const auto support = adapter.two_pass();
        if (support == Adapter::TwoPass::no) {
            if (options_.strict) throw usage_error(adapter.name + " has no two-pass mode");
            progress_.warn(adapter.name + " has no two-pass mode; one pass is used");
        } else if (support == Adapter::TwoPass::bitrate_only && !options_.bitrate) {
            throw usage_error("--two-pass with " + adapter.name +
                              " needs --bitrate KBPS: it refuses two passes with a quality");
        } else {
            s.encode.two_pass = true;
            s.encode.bitrate_kbps = options_.bitrate;
        }
    }
    if (!options_.keyint.empty()) {
        char *end = nullptr;
        const double number = std::strtod(options_.keyint.c_str(), &end);
        s.encode.keyint = static_cast<unsigned>(
            std::max(1.0, *end ? std::round(parse_duration(options_.keyint) * source.rate.value()) : number));
    } else if (source.duration > 180) {
        s.encode.keyint = static_cast<unsigned>(std::max(1.0, std::round(10 * source.rate.value())));
    }
    s.encode.out_pix_fmt = choose_pix_fmt(programs_, source, s.encode);
    if (const auto wish = encoder_pix_fmt(source, {.adapter = &adapter});
        wish != s.encode.out_pix_fmt && options_.out_pix_fmt.empty())
        progress_.warn(adapter.name + " does not take " + wish + "; " + s.encode.out_pix_fmt + " is used");
    // Most encoders refuse odd sizes in 4:2:0.
    const auto layout = pixel_layout(s.encode.out_pix_fmt);
    const bool odd =
        layout && ((layout->chroma != 444 && source.width % 2) || (layout->chroma == 420 && source.height % 2));
    if (odd && s.encode.vfilter.empty()) {
        if (options_.odd == "refuse")
            throw usage_error("the source is " + std::to_string(source.width) + "x" + std::to_string(source.height) +
                              ", and " + s.encode.out_pix_fmt + " needs even sides; use --odd crop or --odd pad");
        s.encode.vfilter =
            options_.odd == "crop" ? "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0" : "pad=ceil(iw/2)*2:ceil(ih/2)*2";
    }
    s.score = score_settings();
    s.score.reference_filter = options_.reference_vfilter.value_or(s.encode.vfilter);
    if (s.score.reference_filter == "copy" || s.score.reference_filter == "null") s.score.reference_filter.clear();
    s.pool = options_.pool;
    s.cache = cache_.get();
    s.work_folder = work_folder();
    s.slots = slots_.get();

    const std::string sample_key = source.path + (automatic_sampling ? "|auto" : "|whole");
    auto known = samples_.find(sample_key);
    if (known == samples_.end()) {
        SamplingRequest request;
        request.centre_seconds = options_.sample_clip_seconds;
        if (options_.sample_mode == "centre" && request.centre_seconds <= 0)
            request.centre_seconds = parse_duration(options_.sample_duration);
        request.samples = options_.samples;
        request.every_seconds = parse_duration(options_.sample_every);
        request.duration_seconds = parse_duration(options_.sample_duration);
        request.min_samples = options_.min_samples;
        request.automatic = automatic_sampling;
        for (std::size_t at = 0; at < options_.sample_at.size();) {
            const std::size_t comma = std::min(options_.sample_at.find(',', at), options_.sample_at.size());
            request.at.push_back(parse_duration(options_.sample_at.substr(at, comma - at)));
            at = comma + 1;
        }
        try {
            const SampleChoice choice = options_.sample_mode == "scenes" ? choose_scenes(programs_, source, request)
                                                                         : choose_samples(source, request);
            known = samples_
                        .emplace(sample_key,
                                 std::pair(cut_samples(programs_, source, choice, work_folder()), choice.clip_mode))
                        .first;
        } catch (const Error &e) {
            throw CommandError(kExitFailed, e.what());
        }
    }
    s.samples = known->second.first;
    s.clip_mode = known->second.second;
    return s;
}

unsigned Run::parallel_searches() const { return std::max(options_.encode_jobs, options_.score_jobs); }

void Run::check_interrupted() const {
    if (interruption::requested())
        throw CommandError(kExitInterrupted, "interrupted; finished probes are in the cache");
}

} // namespace vmaf::tune
