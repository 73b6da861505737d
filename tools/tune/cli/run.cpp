#include "cli/run.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "cache/shared_results.hpp"
#include "source/display.hpp"
#include "system/filesystem.hpp"
#include "system/host.hpp"
#include "system/program.hpp"
#include "system/trust.hpp"

namespace vmaf::tune {

namespace {

constexpr unsigned kShareOfCheck = 4; // of the processors, for a decoder that runs beside encoder and scorer

} // namespace

std::optional<std::string> scorer_program(const ScoringOptions &scoring, const ProgramOptions &programs) {
    if (!programs.vmaf.empty()) return find_program(programs.vmaf);
    if (scoring.scorer == Scorer::binary) return find_program("vmaf");
    return find_program((system::fs::path(system::program_path()).parent_path() / "vmaf").string());
}

Run::Run(const ProbeRequest &options, bool scores) : options_(options), progress_(options), shots_(programs_) {
    for (const std::string &notice : options.notices) progress_.say("vmaf-tune: " + notice);
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
    if (!options.no_cache && options.hash != SourceHash::none) {
        const auto limit = static_cast<std::uint64_t>(parse_size(options.cache_size));
        try {
            const std::string folder = options.cache_dir.empty() ? default_cache_folder() : options.cache_dir;
            cache_ = std::make_unique<Cache>(folder, limit);
        } catch (const system::Untrusted &) {
            throw;
        } catch (const Error &e) {
            if (!options.cache_dir.empty()) throw CommandError(kExitOutput, e.what());
            progress_.warn(e.what());
        }
    }
    if (cache_ && cache_->was_damaged())
        progress_.warn("the cache was damaged; it is kept as *.bad and a new one is started");
    if (cache_ && !options.store.empty())
        cache_->share(std::make_unique<SharedResults>(options.store, options.run_folder));
    programs_.facts = cache_.get();
    if (options.score_backend == BackendWish::automatic) ask_ahead(); // while GPUs are surveyed; others may be refused
    if (scores) {
        const auto vmaf = scorer_program(options, options);
        if (!vmaf)
            throw usage_error(!options.vmaf.empty() ? "'" + options.vmaf + "' was not found; check --vmaf-bin"
                              : options.scorer == Scorer::binary
                                  ? "'vmaf' was not found; install it, or give --vmaf-bin"
                                  : "no vmaf program was found next to vmaf-tune; install both, or give --vmaf-bin");
        programs_.vmaf = *vmaf;
        if (options.scorer == Scorer::library) scorers_ = std::make_unique<Scorers>(*vmaf);
        settle_backend();
    }
    ask_ahead();
    if (options_.score_jobs == 0) options_.score_jobs = backend() == "cpu" ? 1 : 2;
    std::vector<int> processors;
    try {
        if (!options.cpus.empty()) processors = parse_processors(options.cpus);
        if (const double bytes = parse_size(options.ref_cache); scores && bytes > 0)
            references_ = std::make_unique<ReferenceStore>(sensible_memory(static_cast<std::uint64_t>(bytes)));
    } catch (const Error &e) {
        throw usage_error(e.what());
    }
    processors_ = processors.empty() ? system::usable_processors() : static_cast<unsigned>(processors.size());
    checks_ = std::make_unique<SourceChecks>(std::max(1u, processors_ / kShareOfCheck), patience(options));
    work_folder_ = std::make_unique<WorkFolder>(options.work_dir, options.keep);
    permits_ = std::make_unique<Permits>(options_.encode_jobs, options_.score_jobs, std::move(processors));
}

// FFmpeg's start takes longer than its answers: asks ahead while the source is examined.
void Run::ask_ahead() {
    std::vector<std::string> names = options_.encoders;
    if (names.empty() && !options_.sources.empty()) names = {"libx264"};
    for (const std::string &name : names) {
        const Adapter *adapter = find_adapter(name);
        if (!adapter || adapter->is_hardware) continue;
        const Arguments trial = trial_command(programs_, *adapter);
        tune::ask_ahead(programs_, trial);
        if (!adapter->preset_number_option().empty())
            tune::ask_ahead(programs_, encoder_help_command(programs_, adapter->name));
        if (version_question_.empty()) version_question_ = trial; // its banner includes the version
    }
    if (!version_question_.empty()) return;
    version_question_ = {programs_.ffmpeg, "-version"};
    tune::ask_ahead(programs_, version_question_);
}

const Programs &Run::programs() {
    if (programs_.ffmpeg_version.empty())
        programs_.ffmpeg_version = ffmpeg_version(ask_program(programs_, version_question_));
    return programs_;
}

void Run::settle_backend() {
    const BackendWish wish = options_.score_backend;
    // Our own scorer needs no survey for cpu, nor without a possible GPU; other scorers are asked.
    const bool is_settled = wish == BackendWish::cpu || (wish == BackendWish::automatic && !system::may_have_gpu());
    std::string reasons;
    if (options_.scorer == Scorer::binary || !is_settled) {
        const BackendSurvey survey = survey_backends({programs_.vmaf}, hosts_);
        scorer_takes_backend_ = survey.takes_backend;
        scorer_takes_precision_ = survey.takes_precision;
        try {
            const std::string first = resolve_backend(wish, survey, hosts_);
            backends_ = std::make_unique<BackendInUse>(
                wish == BackendWish::automatic ? survey.usable() : std::vector<std::string>{first});
        } catch (const Error &e) {
            throw CommandError(kExitBackend, e.what());
        }
        if (wish == BackendWish::automatic) reasons = " (auto; " + survey.reasons() + ")";
    }
    if (options_.device && backend() == "cpu")
        progress_.warn("--device " + std::to_string(*options_.device) + " has no effect: the processor scores");
    const std::string line = "vmaf-tune: scoring backend = " + backend();
    if (progress_.verbosity() == 0 && (wish != BackendWish::automatic || backend() != "cpu"))
        progress_.say(line);
    else
        progress_.note(line + reasons);
}

// Estimates space before work starts (17.2): encodes as large as the source, but at most one bit per pixel, plus what
// the transport needs.
void Run::check_room(const ProbeSetup &setup) const {
    double bytes = 0;
    for (const Sample &sample : setup.samples) {
        const double frames = double(sample.window.full() ? sample.source.frame_count() : sample.window.frames);
        const double pixels = frames * setup.source.width * setup.source.height;
        const double part = setup.source.duration > 0 && sample.seconds > 0
                                ? std::min(1.0, sample.seconds / setup.source.duration)
                                : 1.0;
        double needed = std::min(double(setup.source.file_bytes) * part, pixels / 8);
        if (options_.score_transport == ScoreTransport::file) needed += 2 * 1.5 * pixels;
        bytes = std::max(bytes, needed);
    }
    work_folder_->check_room(static_cast<std::uint64_t>(bytes) * parallel_searches());
}

Source Run::open_source(const std::string &path) {
    SourceRequest request;
    static_cast<SourceWishes &>(request) = options_;
    request.path = path;
    request.ffprobe = programs_.ffprobe;
    try {
        Source source = probe_source(request, cache_.get());
        if (source.is_interlaced() && !options_.deinterlace)
            progress_.warn("'" + path + "' is interlaced (" + source.field_order +
                           "); it is encoded and scored with its fields woven, but VMAF expects progressive pictures: "
                           "--deinterlace makes them first, --vfilter bwdif does as well");
        if (const std::string shown = display_sentence(source); !shown.empty())
            progress_.say("vmaf-tune: '" + path + "' is " + shown);
        if (source.vfr) // `score` reports its pairing itself
            progress_.warn(
                "'" + path + "' has a variable frame rate" +
                (!options_.sources.empty() ? "; frames are paired by number, none is repeated or dropped" : ""));
        if (has_doubtful_transfer(source))
            progress_.warn("'" + path + "' is tagged " + source.transfer + " but not BT.2020 (" +
                           (source.primaries.empty() ? "unknown" : source.primaries) +
                           " primaries); it is treated as SDR: use --hdr pq or --hdr hlg if that is wrong");
        if (source.has_hdr10_plus) progress_.warn("'" + path + "' has HDR10+ metadata; encodes do not keep it");
        if (source.has_dolby_vision) progress_.warn("'" + path + "' has Dolby Vision metadata; encodes do not keep it");
        if (source.has_alpha && !options_.sources.empty())
            progress_.warn("'" + path + "' is transparent in places (alpha); encodes and scores ignore that");
        const auto content = pixel_content(source.pix_fmt);
        if (options_.bitdepth && content && content->bits != *options_.bitdepth)
            throw usage_error("--bitdepth " + std::to_string(*options_.bitdepth) + ": '" + path + "' has " +
                              std::to_string(content->bits) + " bits (" + source.pix_fmt + ")");
        source.shots = shots_.summary(source, options_.shot_stats);
        return source;
    } catch (const Error &e) {
        throw usage_error(e.what());
    }
}

const Adapter &Run::known_adapter(const std::string &name) {
    const Adapter *found = find_adapter(name);
    if (!found && !options_.encoder_generic)
        if (const Adapter *meant = adapter_by_short_name(name)) {
            progress_.note("vmaf-tune: " + name + " is " + meant->name + " here");
            found = meant;
        }
    if (!found) {
        if (!options_.encoder_generic) {
            const std::string meant = adapter_meant_by(name);
            throw usage_error("there is no adapter for the encoder '" + name + "'" +
                              (meant.empty() ? "" : " (did you mean " + meant + "?)") +
                              "; known: " + joined(adapters(), ", ", &Adapter::name) +
                              "; --encoder-generic accepts any encoder with -preset and -crf");
        }
        found = &adapted_.try_emplace(name, generic_adapter(name)).first->second;
    }
    return *found;
}

std::optional<std::string> Run::encoder_problem(const Adapter &adapter) {
    try {
        try_encoder(programs_, adapter);
        return std::nullopt;
    } catch (const Error &e) {
        check_interrupted(); // a trial ended by a signal is no verdict
        return e.what();
    }
}

const Adapter &Run::adapter(const std::string &name) {
    const Adapter &known = known_adapter(name);
    if (const auto problem = encoder_problem(known)) throw usage_error(*problem);
    // Its abilities depend on its version.
    return adapted_.try_emplace(name, adapter_for_version(known, try_encoder(programs_, known))).first->second;
}

const Adapter &Run::only_adapter() {
    if (options_.encoders.size() > 1)
        throw usage_error("one encoder at a time, not " + options_.encoders[0] + " and " + options_.encoders[1] +
                          "; `vmaf-tune compare` takes several");
    return adapter(options_.encoders.empty() ? "libx264" : options_.encoders.front());
}

std::string Run::only_preset() const {
    if (options_.presets.size() > 1)
        throw usage_error("one preset at a time, not " + options_.presets[0] + " and " + options_.presets[1] +
                          "; `vmaf-tune corpus` takes several");
    return options_.presets.empty() ? "" : options_.presets.front();
}

// Encodes one probe while another is scored, unless that takes processors from a measured encode.
unsigned Run::parallel_searches() const {
    const bool is_alone = options_.jobs == 1 || (backend() == "cpu" && options_.encode_jobs == 1);
    return is_alone ? std::max(1u, options_.score_jobs) : options_.encode_jobs + options_.score_jobs;
}

void Run::check_interrupted() const {
    if (interruption::requested()) throw interrupted();
}

void Run::show_progress(ProbeSetup &setup, const std::string &label) {
    setup.progress = [this, label](const StageProgress &p) { progress_.stage(label, p); };
}

ProbeResult Run::probe(const ProbeSetup &setup, double q) {
    check_interrupted();
    ProbeResult result = run_probe(setup, q);
    check_interrupted();
    if (!result.ok()) throw failed(result.outcome);
    for (const std::string &warning : result.warnings) progress_.warn(warning);
    return result;
}

} // namespace vmaf::tune
