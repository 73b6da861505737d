#include "cli/run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "stages/scene_sampling.hpp"

namespace vmaf::tune {

namespace fs = std::filesystem;

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
    if (cache_ && cache_->was_damaged())
        progress_.warn("the cache was damaged; it has been set aside (*.bad), and a new one begun");
    programs_.facts = cache_.get();
    programs_.ffmpeg_version = ffmpeg_version(programs_);
    if (scores && options.scorer == "binary") options_.vmaf = programs_.vmaf = program(options.vmaf, "--vmaf-bin");
    if (scores) settle_backend();
    if (options_.score_jobs == 0) options_.score_jobs = backend() == "cpu" ? 1 : 2;
    std::vector<int> processors;
    try {
        if (!options.cpus.empty()) processors = parse_processors(options.cpus);
        if (const double bytes = parse_size(options.ref_cache); scores && bytes > 0)
            references_ = std::make_unique<ReferenceStore>(sensible_memory(static_cast<std::uint64_t>(bytes)));
    } catch (const Error &e) {
        throw usage_error(e.what());
    }
    processors_ = processors.empty() ? std::max(1u, std::thread::hardware_concurrency())
                                     : static_cast<unsigned>(processors.size());
    work_folder_ = std::make_unique<WorkFolder>(options.work_dir, options.keep);
    slots_ = std::make_unique<Slots>(options_.encode_jobs, options_.score_jobs, std::move(processors));
}

void Run::settle_backend() {
    // An explicit cpu needs no survey; everything else is settled before the first encode.
    const std::string &wish = options_.score_backend;
    std::string reasons;
    if (wish != "cpu" && !(wish == "auto" && options_.scorer == "library" && !may_have_gpu())) {
        const BackendSurvey survey = survey_backends(scorer_program(options_));
        try {
            const std::string first = resolve_backend(wish, survey);
            backends_ =
                std::make_unique<BackendInUse>(wish == "auto" ? survey.usable() : std::vector<std::string>{first});
        } catch (const BackendNotUsable &e) {
            throw CommandError(kExitBackend, e.what());
        }
        if (wish == "auto") reasons = " (auto; " + survey.reasons() + ")";
    }
    if (options_.device && backend() == "cpu")
        progress_.warn("--device " + std::to_string(*options_.device) + " has no effect: the processor scores");
    progress_.note("vmaf-tune: scoring backend = " + backend() + reasons);
}

// An estimate, before work starts (17.2): encodes as large as the source, but no more than a bit for each pixel, and
// what the transport needs.
void Run::check_room(const ProbeSetup &setup) const {
    double bytes = 0;
    for (const Sample &sample : setup.samples) {
        const double frames = double(sample.window.full() ? sample.source.frame_count() : sample.window.frames);
        const double pixels = frames * setup.source.width * setup.source.height;
        const double part = setup.source.duration > 0 && sample.seconds > 0
                                ? std::min(1.0, sample.seconds / setup.source.duration)
                                : 1.0;
        double needed = std::min(double(setup.source.file_bytes) * part, pixels / 8);
        if (options_.score_transport == "file") needed += 2 * 1.5 * pixels;
        bytes = std::max(bytes, needed);
    }
    work_folder_->check_room(static_cast<std::uint64_t>(bytes) * std::max(options_.encode_jobs, options_.score_jobs));
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
    s.backend = backend();
    s.backends = backends_.get();
    s.device = options_.device;
    s.references = references_.get();
    s.transport = options_.score_transport;
    s.scorer = options_.scorer;
    s.threads = options_.score_threads ? options_.score_threads : std::max(1u, processors_ / options_.score_jobs);
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
    if (options_.encode_jobs > 1) s.encode.threads = std::max(1u, processors_ / options_.encode_jobs);
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
    s.cache_failures = options_.cache_failures;
    s.work_folder = work_folder();
    s.slots = slots_.get();
    if (options_.score_transport == "direct")
        throw usage_error("--score-transport direct is for `score` with YUV4MPEG2 or raw files; an encode has to be "
                          "decoded: use pipe or file");

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
    check_room(s);
    return s;
}

unsigned Run::parallel_searches() const { return std::max(options_.encode_jobs, options_.score_jobs); }

void Run::check_interrupted() const {
    if (interruption::requested())
        throw CommandError(kExitInterrupted, "interrupted; finished probes are in the cache");
}

} // namespace vmaf::tune
