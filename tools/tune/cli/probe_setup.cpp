// Builds what a probe needs from the command line (tune.md 2, 4.8, 5.6 to 5.8, 6.4, 8).
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "cli/run.hpp"
#include "stages/scene_sampling.hpp"
#include "system/environment.hpp"
#include "system/filesystem.hpp"
#include "system/host.hpp"
#include "system/program.hpp"
#include "system/trust.hpp"
#include "text/near_names.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

namespace fs = vmaf::system::fs;

namespace {

// Refuses a model that cannot be loaded before anything is encoded.
void check_model(Scorers &scorers, const std::string &model) {
    const std::string problem =
        scorers.problem_of_model(model.find('=') == std::string::npos ? "version=" + model : model);
    if (!problem.empty()) throw usage_error("--vmaf-model " + model + ": " + problem);
}

// Identifies the scoring program: a path does not reveal changes.
std::string identity_of_binary(const std::string &path) {
    const auto stamp = system::file_stamp(path);
    return path + (stamp ? " " + stamp->text() : "");
}

} // namespace

std::chrono::milliseconds patience(const RunningOptions &options) {
    constexpr std::chrono::minutes kDefault(10);
    if (options.timeout.empty()) return kDefault;
    return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * parse_duration(options.timeout)));
}

ScoreSettings Run::score_settings() const {
    ScoreSettings s;
    s.model = options_.model;
    s.scorers = scorers_.get();
    if (s.scorers && s.model != "auto") check_model(*s.scorers, s.model);
    s.scorer_identity = s.scorers ? s.scorers->identity() : identity_of_binary(programs_.vmaf);
    const auto add = [&](const std::string &name) {
        const auto metric = metric_choice(name);
        if (!metric) throw usage_error("the metric '" + name + "' is not known; use " + joined(metric_names()));
        for (const MetricChoice &known : s.metrics)
            if (known.name == name) return;
        s.metrics.push_back(*metric);
    };
    add(options_.metric);
    for (const std::string &name : options_.also) add(name);
    s.backend = backend();
    s.backends = backends_.get();
    s.is_backend_explicit = options_.score_backend != BackendWish::automatic;
    s.scorer_takes_backend = scorer_takes_backend_;
    s.scorer_takes_precision = scorer_takes_precision_;
    s.device = options_.device;
    s.references = references_.get();
    s.checks = checks_.get();
    s.transport = options_.score_transport;
    s.scorer = options_.scorer;
    s.threads = options_.score_threads ? options_.score_threads : std::max(1u, processors_ / options_.score_jobs);
    s.subsample = options_.subsample;
    s.scale = options_.score_scale;
    s.scaler = options_.scaler;
    s.drop_film_grain = !options_.keep_film_grain;
    s.allow_short = options_.allow_short;
    s.allow_damaged = options_.allow_damaged;
    s.dist_delay = options_.dist_delay;
    s.work_folder = work_folder();
    s.timeout = patience(options_);
    s.is_patient = options_.timeout.empty();
    try {
        pooled({1.0}, options_.pool);
        scored_size({640, 360}, options_.score_scale, 1080);
    } catch (const Error &e) {
        throw usage_error(e.what());
    }
    return s;
}

namespace {

// Converts --enc KEY[=VALUE] to FFmpeg arguments; refuses options that the tool sets itself (2.1).
Arguments user_arguments(const std::vector<std::string> &items, const char *flag) {
    constexpr std::pair<std::string_view, std::string_view> kOwn[] = {
        {"i", "--source"},
        {"y", "--overwrite"},
        {"n", "--overwrite"},
        {"c:v", "--encoder"},
        {"vcodec", "--encoder"},
        {"codec:v", "--encoder"},
        {"crf", "--crf (in a search --min-q and --max-q)"},
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
        if (std::string_view(flag) == "--enc-input" && item.ends_with("=none")) continue; // nothing to remove here
        result.push_back("-" + key);
        if (equals != std::string::npos) result.push_back(item.substr(equals + 1));
    }
    return result;
}

// --keyint, or 10 s for long sources (5.7). A filter that changes the rate changes the count.
std::optional<unsigned> key_frame_interval(const EncodingOptions &o, const Source &source) {
    double rate = source.rate.value();
    for (std::size_t at = 0; (at = o.vfilter.find("fps=", at)) != std::string::npos; at += 4)
        if (at == 0 || o.vfilter[at - 1] == ',') {
            std::string text = o.vfilter.substr(at + 4, o.vfilter.find_first_of(",:", at) - at - 4);
            if (text.starts_with("fps=")) text.erase(0, 4);
            try {
                rate = parse_fraction(text).value();
            } catch (const Error &) { // an expression: only FFmpeg can evaluate it
            }
        }
    if (o.keyint.empty())
        return source.duration > 180 ? std::optional(static_cast<unsigned>(std::max(1.0, std::round(10 * rate))))
                                     : std::nullopt;
    char *end = nullptr;
    const double number = std::strtod(o.keyint.c_str(), &end);
    const double frames = *end ? std::round(parse_duration(o.keyint) * rate) : number;
    if (!(*end ? frames >= 0 : frames >= 1) || frames > 1e6)
        throw usage_error("--keyint " + o.keyint + ": give a number of frames, one or more, or a duration such as 10s");
    return static_cast<unsigned>(std::max(1.0, frames));
}

// Where to look for HDR models; takes the last of several versions in a folder (6.4).
std::string hdr_model_file() {
    std::vector<fs::path> folders;
    if (const auto own = system::environment("VMAF_MODEL_DIR")) folders.emplace_back(*own);
    std::error_code error;
    const fs::path program = system::program_path();
    for (const fs::path &share :
         {program.parent_path().parent_path() / "share", fs::path("/usr/local/share"), fs::path("/usr/share")})
        for (const char *name : {"libvmaf/model", "vmaf/model", "model"}) folders.push_back(share / name);
    for (const fs::path &folder : folders) {
        if (fs::exists(folder / "vmaf_hdr_v0.6.1.json", error)) return (folder / "vmaf_hdr_v0.6.1.json").string();
        std::string last;
        for (const auto &entry : fs::directory_iterator(folder, error)) {
            const std::string name = entry.path().filename().string();
            if (name.starts_with("vmaf_hdr_") && name.ends_with(".json") && entry.path().string() > last)
                last = entry.path().string();
        }
        if (!last.empty()) return last;
    }
    return {};
}

} // namespace

void Run::choose_hdr_model(ProbeSetup &s) {
    if (options_.model != "auto" || s.source.hdr.transfer == Hdr::Transfer::none) return;
    static const std::string file = hdr_model_file();
    if (const std::string danger = system::who_else_can_change(file, system::Reach::beside_program); !danger.empty())
        throw system::Untrusted("the model '" + file + "' for HDR is not used, because " + danger +
                                "; name a model with --model");
    if (!file.empty())
        s.score.model = "path=" + file;
    else
        progress_.warn(kNoHdrModel);
}

// 4.8: two passes are for bitrates; some encoders also support them with a quality.
void Run::choose_passes(EncodeSettings &encode) {
    const Adapter &adapter = *encode.adapter;
    if (!options_.two_pass) return;
    using Support = Adapter::TwoPass;
    const Support support = adapter.two_pass();
    if (support == Support::no) {
        if (options_.strict) throw usage_error(adapter.name + " has no two-pass mode");
        progress_.warn(adapter.name + " has no two-pass mode; one pass is used");
        return;
    }
    if (support == Support::bitrate_only && !options_.bitrate)
        throw usage_error("--two-pass with " + adapter.name +
                          " needs --bitrate KBPS: it refuses two passes with a quality");
    if (options_.bitrate && !options_.q_values.empty())
        throw usage_error("--two-pass --bitrate and a quality value exclude each other");
    encode.bitrate_kbps = options_.bitrate;
    encode.multipass = support == Support::one_run;
    encode.two_pass = !encode.multipass;
}

// Sample formats that an encoder does not accept: reported once per configuration; --strict refuses a loss that was not
// requested.
void Run::tell_format_changes(ProbeSetup &s, bool is_own_choice) {
    std::string changes, losses;
    for (const FormatChange &change : format_changes(s.source, s.encode.out_pix_fmt)) {
        s.format_changes.push_back(change.what);
        add_item(changes, change.what);
        if (change.is_loss) add_item(losses, change.what);
    }
    if (changes.empty() || !is_own_choice) return;
    const std::string sentence =
        s.encode.adapter->name + " encodes " + s.source.pix_fmt + " as " + s.encode.out_pix_fmt + ": " + changes;
    if (losses.empty()) return progress_.remark(sentence);
    if (options_.strict)
        throw usage_error(sentence +
                          "; --strict refuses that: choose another encoder, or ask for it with --out-pix-fmt");
    progress_.warn(sentence);
}

ProbeSetup Run::setup(const Source &source, const Adapter &adapter, const std::string &preset, bool automatic_sampling,
                      const Variant &variant) {
    const EncodingOptions o = with_variant(options_, variant);
    ProbeSetup s;
    s.variant = variant.name;
    s.programs = programs();
    s.source = source;
    s.encode.adapter = &adapter;
    s.encode.preset = preset.empty() ? kDefaultPreset : preset;
    if (!adapter.native_preset(s.encode.preset))
        throw usage_error(adapter.name + " has no preset '" + s.encode.preset + "'" +
                          near_name_hint(s.encode.preset, adapter.preset_names()) + "; it knows " +
                          joined(adapter.preset_names()));
    s.encode.vfilter = o.vfilter;
    s.encode.out_pix_fmt = o.out_pix_fmt;
    s.encode.user_arguments = user_arguments(o.enc, "--enc");
    s.encode.user_input_arguments = user_arguments(options_.enc_input, "--enc-input");
    s.encode.allow_unused_options = o.allow_unused_options;
    s.encode.max_tries = options_.max_tries;
    if (options_.encode_jobs > 1 || !options_.cpus.empty())
        s.encode.threads = std::max(1u, processors_ / options_.encode_jobs);
    s.encode.timeout = patience(options_);
    s.encode.is_patient = options_.timeout.empty();
    choose_passes(s.encode);
    s.encode.native_preset = clamped_preset(programs_, adapter, s.encode.preset);
    if (!s.encode.native_preset.empty())
        progress_.warn(adapter.name + " of this FFmpeg has no preset " + s.encode.preset + "; " +
                       s.encode.native_preset + " is used");
    if (source.hdr.transfer != Hdr::Transfer::none && !adapter.has_hdr_arguments())
        progress_.warn(adapter.name + " gets no HDR metadata; its encodes are not tagged");
    const bool has_light = !source.hdr.mastering_display.empty() || !source.hdr.content_light.empty();
    if (has_light && !adapter.keeps_light())
        progress_.warn(adapter.name + " gets no mastering display and light levels; its encodes lack them");
    s.encode.dropped_options = unsupported_hdr_options(programs_, adapter, source.hdr);
    if (!s.encode.dropped_options.empty())
        progress_.warn(adapter.name +
                       " of this FFmpeg takes no mastering display and light levels; its encodes lack them");
    s.encode.keyint = key_frame_interval(o, source);
    s.encode.out_pix_fmt = choose_pix_fmt(programs_, source, s.encode);
    tell_format_changes(s, o.out_pix_fmt.empty());
    // Most encoders refuse odd sizes in 4:2:0.
    const auto layout = pixel_layout(s.encode.out_pix_fmt);
    const bool odd =
        layout && ((layout->chroma != 444 && source.width % 2) || (layout->chroma == 420 && source.height % 2));
    if (odd && s.encode.vfilter.empty()) {
        if (options_.odd == OddSizes::refuse)
            throw usage_error("the source is " + std::to_string(source.width) + "x" + std::to_string(source.height) +
                              ", and " + s.encode.out_pix_fmt + " needs even sides; use --odd crop or --odd pad");
        s.encode.vfilter =
            options_.odd == OddSizes::crop ? "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0" : "pad=ceil(iw/2)*2:ceil(ih/2)*2";
    }
    s.flags = encode_flags(options_, o);
    s.score = score_settings();
    s.score.drop_reference_grain = false; // the encoder gets what a player shows, and so does the reference
    s.score.reference_filter = options_.reference_vfilter.value_or(s.encode.vfilter);
    if (s.score.reference_filter == "copy" || s.score.reference_filter == "null") s.score.reference_filter.clear();
    choose_hdr_model(s);
    s.pool = options_.pool;
    s.aggregate = options_.sample_aggregate;
    s.size_of_file = options_.size_of.value_or(options_.schema == 3 ? SizeOf::file : SizeOf::stream) == SizeOf::file;
    s.cache = cache_.get();
    s.cache_failures = options_.cache_failures;
    s.work_folder = work_folder();
    s.permits = permits_.get();
    if (options_.keep && options_.store.empty() && !options_.dry_run) {
        s.keep_in = options_.work_dir.empty() ? "encodes" : options_.work_dir;
        std::error_code error;
        system::fs::create_directories(s.keep_in, error);
        if (error)
            throw CommandError(kExitOutput, "the folder '" + s.keep_in + "' for encodes cannot be made: " +
                                                error.message() + "; give another --work-dir");
    }
    if (options_.score_transport == ScoreTransport::direct && backend() != "cuda")
        throw usage_error(
            "--score-transport direct is for `score` with YUV4MPEG2 or raw files, or with --score-backend "
            "cuda; an encode has to be decoded: use auto, pipe or file");

    const auto &[samples, clip_mode] = samples_of(source, automatic_sampling);
    s.samples = samples;
    s.clip_mode = clip_mode;
    if (!s.source.shots) s.source.shots = shots_.summary(source, false); // scenes may have counted them
    check_room(s);
    return s;
}

const std::pair<std::vector<Sample>, std::string> &Run::samples_of(const Source &source, bool automatic_sampling) {
    const std::string sample_key = source.path + (automatic_sampling ? "|auto" : "|whole");
    auto known = samples_.find(sample_key);
    if (known == samples_.end()) {
        SamplingRequest request;
        request.centre_seconds = options_.sample_clip_seconds;
        if (options_.sample_mode == SampleMode::centre && request.centre_seconds <= 0)
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
        for (const double start : request.at)
            if (source.duration > 0 && start >= source.duration)
                throw usage_error("--sample-at " + number_text(start) + " is past the end of '" + source.path + "' (" +
                                  number_text(source.duration) + " s)");
        try {
            const SampleChoice choice = options_.sample_mode == SampleMode::scenes
                                            ? choose_scenes(shots_.features(source), source, request)
                                            : choose_samples(source, request);
            known = samples_
                        .emplace(sample_key,
                                 std::pair(cut_samples(programs_, source, choice, work_folder()), choice.clip_mode))
                        .first;
        } catch (const Error &e) {
            throw CommandError(kExitFailed, e.what());
        }
    }
    return known->second;
}

} // namespace vmaf::tune
