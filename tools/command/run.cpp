#include "run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <system_error>

#include "backend_choice.hpp"
#include "base/error.hpp"
#include "base/thread_group.hpp"
#include "base/visible_text.hpp"
#include "clips.hpp"
#include "config.h"
#include "device/picture_memory.hpp"
#include "engine.hpp"
#include "exit_code.hpp"
#include "frame_lines.hpp"
#include "guarded.hpp"
#include "input_report.hpp"
#include "io/frame_pairs.hpp"
#include "io/shared_clip.hpp"
#include "io/video_pairs.hpp"
#include "maps/run_maps.hpp"
#include "meter.hpp"
#include "metrics/registry.hpp"
#include "models.hpp"
#include "pair_list.hpp"
#include "report/report.hpp"
#include "say.hpp"
#include "session/extractor_name.hpp"
#include "session/session.hpp"
#include "suggestion.hpp"
#include "system/filesystem.hpp"
#include "system/log.hpp"
#include "system/output_file.hpp"
#include "system/program.hpp"
#include "system/startup.hpp"
#include "system/terminal.hpp"

namespace vmaf::cli {

namespace {

constexpr unsigned kMaxReaders = 6;                  // threads that read one clip
constexpr unsigned kMaxDecoders = 8;                 // of one clip on a device: more than any card has engines for it
constexpr unsigned kThreadsPerReader = 4;            // that score while one reads
constexpr unsigned kJobsOnDevice = 4;                // pairs at once
constexpr std::size_t kJobsOfReference = 8;          // pairs at once that share a reference
constexpr std::string_view kFrameRateOption = "fps"; // of metrics that depend on it
constexpr double kMostFrameRate = 1000;              // that it takes; more is a header's mistake

// Whatever the document is: a failed backend has one too.
void check_not_overwriting(const Options &options, const std::set<system::FileIdentity> &others = {}) {
    std::vector<std::pair<std::string, std::string>> inputs = {{options.reference, "reference clip"},
                                                               {options.distorted, "distorted clip"}};
    for (const ModelArgument &model : options.models)
        if (model.version.empty()) inputs.emplace_back(model.path, "model");
    for (const std::string &path : options.local.region_files) inputs.emplace_back(path, "list of regions");
    const auto check = [&](const std::string &output, const char *what, const char *option) {
        for (const auto &[path, input] : inputs)
            if (system::would_overwrite(output, path))
                throw Failure(ExitCode::setup, std::string("the ") + what + " would overwrite the " + input + " " +
                                                   quoted(path) + "; choose another --" + option);
    };
    if (options.output) check(*options.output, "document", "output");
    if (options.ndjson) check(*options.ndjson, "document", "ndjson");
    for (const MapArgument &map : options.local.maps) check(map.path, "map", "map");
    if (others.empty() || !options.output) return;
    if (const auto earlier = system::identity_of_output(*options.output); earlier && others.contains(*earlier))
        throw Failure(ExitCode::setup, "the document would overwrite " + quoted(*options.output) +
                                           ", which this run reads; give the document another name");
}

// The library ignores options that it does not know; the command does not.
void check_feature(const FeatureArgument &feature) {
    const MetricInfo *const metric = parse_extractor_name(feature.name).info;
    if (!metric) {
        std::vector<std::string_view> names;
        for (const MetricInfo *m : all_metrics()) names.push_back(m->name);
        throw Failure(ExitCode::setup, "there is no feature '" + feature.name + "'" +
                                           did_you_mean(feature.name, names) + " (--list_features shows all)");
    }
    const auto unknown = unknown_options(metric->options, feature.options);
    if (unknown.empty()) return;
    if (metric->options.empty())
        throw Failure(ExitCode::setup, "feature '" + feature.name + "' has no options; leave out '" + unknown[0] + "'");
    std::vector<std::string_view> names;
    std::string meant = unknown[0]; // score names have short names of options
    for (const OptionSpec &spec : metric->options) {
        names.push_back(spec.name);
        if (spec.key == unknown[0]) meant = spec.name;
    }
    throw Failure(ExitCode::setup, "feature '" + feature.name + "' has no option '" + unknown[0] + "'" +
                                       did_you_mean(meant, names) + " (--list_features shows all)");
}

// A metric that depends on the frame rate gets the clips', unless the user gives one.
OptionTexts options_with_rate(const FeatureArgument &feature, double frame_rate) {
    OptionTexts options = feature.options;
    const MetricInfo *const metric = parse_extractor_name(feature.name).info;
    const bool takes_rate = std::any_of(metric->options.begin(), metric->options.end(),
                                        [](const OptionSpec &spec) { return spec.name == kFrameRateOption; });
    if (takes_rate && frame_rate > 0 && frame_rate <= kMostFrameRate &&
        !options.contains(std::string(kFrameRateOption)))
        options[std::string(kFrameRateOption)] = std::to_string(frame_rate);
    return options;
}

void register_features(Session &session, const std::deque<LoadedModel> &models, const Options &options,
                       double frame_rate) {
    guarded(ExitCode::setup, [&] {
        for (const LoadedModel &m : models) {
            if (m.collection)
                session.use_features_of(*m.collection);
            else
                session.use_features_of(m.model);
        }
        for (const FeatureArgument &feature : options.features) {
            check_feature(feature);
            session.use_feature(feature.name, options_with_rate(feature, frame_rate));
        }
    });
}

// A session that is ready for the clips' pictures.
std::unique_ptr<Session> make_session(const Options &options, const std::deque<LoadedModel> &models,
                                      const FramePairs &clips, const std::shared_ptr<Device> &device, bool is_explicit,
                                      Maps *maps) {
    auto session = std::make_unique<Session>(SessionConfig{.threads = options.threads,
                                                           .subsample = options.subsample,
                                                           .cpumask = options.cpumask,
                                                           .gpumask = options.backend.gpumask.value_or(0)});
    if (device) session->use_device({.device = device, .is_explicit = is_explicit});
    register_features(*session, models, options, clips.frame_rate());
    if (!options.no_prediction) check_names(*session, models);
    ask_for_local_scores(*session, options, models, maps);
    if (!session->registered().empty()) guarded(ExitCode::frame, [&] { clips.check_not_empty(); });
    session->prepare(clips.format());
    return session;
}

// The same; references that earlier runs kept give way to it.
std::unique_ptr<Session> prepare_session(const Options &options, const std::deque<LoadedModel> &models,
                                         const FramePairs &clips, const std::shared_ptr<Device> &device,
                                         KeptClips *kept, Maps *maps) {
    const auto make = [&] {
        return make_session(options, models, clips, device, options.backend.name != "auto", maps);
    };
    try {
        return make();
    } catch (const Error &e) {
        if (e.code() != ENOMEM || !kept || !kept->let_go()) throw;
    }
    return make();
}

// Says which clip ended first; that is an error where lengths must agree.
void report_lengths(const Options &options, bool reference_ended, unsigned frames) {
    const std::string reference = "reference clip " + quoted(options.reference);
    const std::string distorted = "distorted clip " + quoted(options.distorted);
    const std::string sentence = "the " + (reference_ended ? reference : distorted) + " ended before the " +
                                 (reference_ended ? distorted : reference) + ", after " + std::to_string(frames) +
                                 (frames == 1 ? " frame" : " frames");
    if (options.strict_length) throw Failure(ExitCode::setup, sentence + "; with --strict_length that is an error");
    say(options.label + sentence + "; the common part is scored");
}

// What the session needs of the frames: memory that its device reads fast, if it has one, and no planes that no metric
// looks at. A device takes frames faster than one thread can read, and so do many threads.
PairsUse use_of(const Session &session, const Options &options, const std::shared_ptr<Device> &device, const Maps *maps,
                ClipTicket *ticket) {
    PairsUse use{.reads_chroma = session.reads_chroma(), .frames_ahead = options.threads > 1 ? 2u : 1u};
    use.reference_ticket = ticket;
    if (device) {
        use.memory = device_memory(device, Memory::pinned_host);
        use.reading_threads = std::clamp(system::usable_processors() / 3, 1u, kMaxReaders);
        use.frames_ahead = std::max(4u, 2 * use.reading_threads);
        use.device = device;
        // Of the devices that score, those that decode: to decoders they have the same name.
        if (device->info().backend == "cuda") use.decoding_device = device->info().backend;
        use.decoders = std::clamp(system::usable_processors() / 2, 2u, kMaxDecoders);
        if (options.frame_count) use.pairs = options.frame_count;
        if (const auto names = session.features_off_device(); !names.empty())
            use.why_not_on_device = "feature '" + names[0] + "' runs on the CPU";
        else if (maps && maps->shows_pictures())
            use.why_not_on_device = "a map in a .y4m file shows them";
    } else {
        use.reading_threads = std::clamp(options.threads / kThreadsPerReader, 1u, kMaxReaders);
        use.frames_ahead = std::max(use.frames_ahead, use.reading_threads);
    }
    return use;
}

unsigned score_frames(Session &session, FramePairs &clips, const Options &options, const PairsUse &use,
                      FrameLines *frame_lines, Maps *maps, bool is_metered) {
    std::optional<std::uint64_t> total = clips.pairs_left();
    if (options.frame_count) total = std::min<std::uint64_t>(total.value_or(options.frame_count), options.frame_count);
    Meter meter(is_metered, total, options.on_frames);
    unsigned frames = 0;
    bool reference_ended = false, distorted_ended = false;
    guarded(ExitCode::frame, [&] {
        clips.start(use);
        if (is_metered && clips.pictures() > 0)
            std::fprintf(stderr, "picture pool: %u pictures pre-allocated\n", clips.pictures());
        while (!options.frame_count || frames < options.frame_count) {
            auto pair = clips.next();
            if (!pair) {
                reference_ended = clips.reference_ended();
                distorted_ended = clips.distorted_ended();
                break;
            }
            meter.frame(frames + 1);
            if (maps) maps->keep(frames, pair->distorted);
            session.read(std::move(pair->reference), std::move(pair->distorted), frames, std::move(pair->halves));
            frames++;
            if (frame_lines) guarded(ExitCode::setup, [&] { frame_lines->advance(session); });
        }
        clips.finish();
    });
    if (frames == 0 && !session.registered().empty())
        throw Failure(
            ExitCode::frame,
            std::string("the ") + (reference_ended ? "reference" : "distorted") + " clip has no frames" +
                ((reference_ended ? options.skip_reference : options.skip_distorted) ? " after the skipped ones" : "") +
                "; there is nothing to score");
    if (reference_ended != distorted_ended) report_lengths(options, reference_ended, frames);
    return frames;
}

// What --model auto became.
std::vector<std::pair<std::string, std::string>> chosen_models(const Options &options,
                                                               const std::deque<LoadedModel> &models) {
    std::vector<std::pair<std::string, std::string>> list;
    for (std::size_t i = 0; i < models.size(); i++)
        if (options.models[i].is_automatic()) list.emplace_back(models[i].model.name(), models[i].label);
    return list;
}

// Scores a pair of clips and writes its document. Returns the lines that people read.
std::vector<std::string> score_pair(const Options &options, FramePairs &clips, const Engine &engine, bool is_metered,
                                    ClipTicket *ticket = nullptr) {
    guarded(ExitCode::frame, [&] { clips.skip(options.skip_reference, options.skip_distorted); });
    const bool is_explicit = options.backend.name != "auto";
    const std::deque<LoadedModel> &models = engine.models->of(clips.format().height);
    const BackendChoice cpu;
    const BackendChoice *backend = engine.backend.get();
    const std::unique_ptr<Maps> maps =
        guarded(ExitCode::setup, [&] { return make_maps(options, models, clips); }); // outlives the session
    std::unique_ptr<Session> prepared;
    if (backend->device && !is_explicit) {
        try {
            prepared = prepare_session(options, models, clips, backend->device, engine.clips.get(), maps.get());
        } catch (const Error &e) { // it started, but this run is too much for it
            say(options.label + backend->name + " not usable (" + e.brief() + "); using cpu");
            backend = &cpu;
        }
    }
    if (!prepared)
        prepared = guarded(ExitCode::setup, [&] {
            return prepare_session(options, models, clips, backend->device, engine.clips.get(), maps.get());
        });
    Session &session = *prepared;
    tell_snapped_regions(session, options);

    std::optional<FrameLines> frame_lines;
    const std::deque<LoadedModel> no_models;
    if (options.ndjson)
        guarded(ExitCode::setup, [&] {
            frame_lines.emplace(*options.ndjson, options.numbers, options.no_prediction ? no_models : models);
        });
    PairsUse use = use_of(session, options, backend->device, maps.get(), ticket);
    if (engine.blocks && backend->device) use.memory = engine.blocks->around(std::move(use.memory));
    if (options.keeps_reference && backend->device) use.kept = engine.clips;
    const unsigned frames =
        score_frames(session, clips, options, use, frame_lines ? &*frame_lines : nullptr, maps.get(), is_metered);
    guarded(ExitCode::frame, [&] {
        session.flush();
        clips.check_whole();
    });
    if (frame_lines) guarded(ExitCode::setup, [&] { frame_lines->finish(session); });
    if (maps) guarded(ExitCode::setup, [&] { maps->finish(); });
    std::vector<std::string> lines;
    if (!options.no_prediction)
        lines = predict(session, models, frames, {options.score_numbers, is_metered, options.percentiles});
    const auto put_maps_in_place = [&] {
        if (maps) guarded(ExitCode::setup, [&] { maps->put_in_place(); });
    };
    if (!options.output) {
        put_maps_in_place();
        return lines;
    }
    const Report report{.scores = session.scores(),
                        .version = VMAF_VERSION,
                        .width = session.width(),
                        .height = session.height(),
                        .pictures = session.pictures_offered(),
                        .subsample = session.subsample(),
                        .numbers = options.numbers,
                        .percentiles = options.percentiles,
                        .backend_used = backend->used(session),
                        .feature_backends = is_explicit && backend->device ? session.feature_backends()
                                                                           : decltype(Report::feature_backends){},
                        .chosen_models = chosen_models(options, models),
                        .inputs = input_report(clips.report(), options),
                        .local = local_report(session, options, maps.get())};
    check_not_overwriting(options, engine.inputs); // names may lead elsewhere meanwhile
    guarded(ExitCode::setup, [&] {
        system::write_output_file(
            *options.output, [&](const auto &out) { write_report(report, options.format, out); }, engine.pending.get());
    });
    put_maps_in_place();
    return lines;
}

bool begin_talking(const Options &options) {
    const bool is_talkative = system::is_terminal(system::Stream::error) && !options.quiet;
    set_log_level(is_talkative ? LogLevel::info : LogLevel::warning);
    if (is_talkative) std::fprintf(stderr, "VMAF version %s\n", VMAF_VERSION);
    return is_talkative;
}

// The reference that a pair shares with its neighbours, by pair; null: none.
using Shares = std::vector<std::shared_ptr<SharedClip>>;

bool can_share(const Options &options, const ListedPair &a, const ListedPair &b) {
    if (a.reference != b.reference) return false;
    std::error_code failed;
    return is_video_file(options, a.reference) || system::fs::is_regular_file(a.reference, failed); // no pipe
}

std::size_t longest_share(const Options &options, const std::vector<ListedPair> &pairs) {
    std::size_t longest = 1, length = 1;
    for (std::size_t i = 1; i < pairs.size(); i++) {
        length = can_share(options, pairs[i - 1], pairs[i]) ? length + 1 : 1;
        longest = std::max(longest, length);
    }
    return longest;
}

// Groups of at most `jobs` consecutive pairs of one reference. Pairs are begun in order, so that those of a group run
// at once, or soon will.
void share_references(const Options &options, const std::vector<ListedPair> &pairs, std::size_t jobs, Shares &shares) {
    for (std::size_t first = 0; first < pairs.size();) {
        std::size_t end = first + 1;
        while (end < pairs.size() && end - first < jobs && can_share(options, pairs[first], pairs[end])) end++;
        if (end - first > 1)
            std::fill(shares.begin() + std::ptrdiff_t(first), shares.begin() + std::ptrdiff_t(end),
                      std::make_shared<SharedClip>(end - first));
        first = end;
    }
}

// Several pairs, some at a time.
class PairsRun {
  public:
    explicit PairsRun(const Options &options)
        : options_(options), is_talkative_(begin_talking(options)), pairs_(find_pairs(options)),
          shared_(without_document(options)), engine_(start_engine_for(options, shared_, pairs_)),
          meter_(is_talkative_, pairs_.size(), {}, Meter::Unit::pairs), shares_(pairs_.size()) {}

    void run() {
        // A device takes short clips faster than one thread prepares them.
        const bool is_on_device = engine_.backend->device != nullptr;
        const std::size_t wanted = options_.jobs  ? options_.jobs
                                   : is_on_device ? kJobsOnDevice
                                                  : std::min(longest_share(options_, pairs_), kJobsOfReference);
        ThreadGroup others;
        {
            const std::lock_guard lock(mutex_); // pairs are handed out when it is known how many can run at once
            std::size_t jobs = 1;
            while (jobs < std::min(wanted, pairs_.size()) && others.start([this] { work(); })) jobs++;
            if (!is_on_device) share_references(options_, pairs_, jobs, shares_);
        }
        work();
        others.join();
        guarded(ExitCode::setup, [&] { engine_.pending->make_durable(); });
        if (failed_)
            throw Failure(ExitCode::some_failed, std::to_string(failed_) + " of " + std::to_string(pairs_.size()) +
                                                     (pairs_.size() == 1 ? " pair" : " pairs") +
                                                     " could not be scored");
    }

  private:
    static Options without_document(Options options) {
        options.output.reset();
        return options;
    }

    static Engine start_engine_for(const Options &options, const Options &shared,
                                   const std::vector<ListedPair> &pairs) {
        Engine engine = start_engine(shared);
        engine.inputs = files_of(pairs, options.list);
        engine.pending = std::make_unique<system::PendingOutputs>();
        if (options.output && options.format == ReportFormat::xml) warn_of_odd_names(options.models);
        return engine;
    }

    void work() {
        while (const auto mine = take()) {
            ClipTicket ticket(shares_[*mine]); // others wait for this pair to join or to leave
            const ListedPair &pair = pairs_[*mine];
            try {
                tell(pair, score(pair, shares_[*mine] ? &ticket : nullptr), "");
            } catch (const std::bad_alloc &) {
                tell(pair, {}, "not enough memory for pictures of this size; use fewer --jobs or --threads");
            } catch (const std::exception &e) {
                tell(pair, {}, e.what());
            }
        }
    }

    std::optional<std::size_t> take() {
        const std::lock_guard lock(mutex_);
        return begun_ < pairs_.size() ? std::optional(begun_++) : std::nullopt;
    }

    std::vector<std::string> score(const ListedPair &pair, ClipTicket *ticket) {
        Options own = shared_;
        own.label = pair.label + ": ";
        own.reference = pair.reference;
        own.distorted = pair.distorted;
        if (!pair.output.empty()) own.output = pair.output;
        check_not_overwriting(own, engine_.inputs);
        const std::unique_ptr<FramePairs> clips = open_clips(own);
        if (own.output) guarded(ExitCode::setup, [&] { system::check_output_file(*own.output); });
        return score_pair(own, *clips, engine_, false, ticket);
    }

    void tell(const ListedPair &pair, const std::vector<std::string> &lines, const std::string &problem) {
        const std::lock_guard lock(mutex_);
        ended_++;
        if (!problem.empty()) {
            failed_++;
            say(pair.label + ": " + problem);
        }
        if (is_talkative_ && system::is_terminal(system::Stream::output)) meter_.clear();
        for (const std::string &line : lines)
            std::printf("%s\t%s\n", visible(pair.distorted).c_str(), visible(line).c_str());
        if (!system::output_arrives()) // what else would be scored for
            for (; begun_ < pairs_.size(); begun_++) ClipTicket never_used(shares_[begun_]);
        meter_.frame(ended_);
    }

    const Options &options_;
    const bool is_talkative_;
    const std::vector<ListedPair> pairs_;
    Options shared_; // by all pairs
    Engine engine_;
    std::mutex mutex_; // for everything below
    Meter meter_;
    Shares shares_;
    std::size_t begun_ = 0, ended_ = 0, failed_ = 0;
};

void run_once(const Options &options, KeptEngine *kept) {
    const bool is_talkative = begin_talking(options);
    check_not_overwriting(options);
    const bool keeps = kept && options.keeps_reference;
    const std::unique_ptr<FramePairs> clips = open_clips(options, keeps ? kept->clips(options.backend) : nullptr);
    Engine engine = start_engine(options, kept);
    // A program that follows the run reads its document at once.
    if (options.on_frames) engine.pending = std::make_unique<system::PendingOutputs>();
    const std::vector<std::string> lines = score_pair(options, *clips, engine, is_talkative);
    if (options.output && !is_talkative) return;
    const bool is_all = !options.output && !options.ndjson && options.local.maps.empty(); // that the run leaves
    for (const std::string &line : lines)
        if (!print_line(visible(line)) && is_all) throw cannot_print("standard error", errno);
}

} // namespace

void run(const Options &options, KeptEngine *kept) {
    Options without = options;
    without.keeps_reference = false;
    try {
        return run_once(options, kept);
    } catch (const Failure &failure) {
        const auto clips = kept && options.keeps_reference ? kept->clips(options.backend) : nullptr;
        if (failure.error() != ENOMEM || !clips) throw;
        clips->let_go(); // may be what took the memory
    }
    run_once(without, kept);
}

void run_pairs(const Options &options) { PairsRun(options).run(); }

} // namespace vmaf::cli
