#include "stages/probe.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/thread_group.hpp"
#include "cache/shared_results.hpp"
#include "hash/sha256.hpp"
#include "stages/direct_inputs.hpp"
#include "stages/probe_keys.hpp"
#include "stages/products.hpp"
#include "stages/scratch_file.hpp"
#include "system/files.hpp"
#include "system/filesystem.hpp"
#include "system/process.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

// Means of the features that rows contain, under any of the scorer's spellings (6.3).
void add_features(const std::map<std::string, Series> &series, std::map<std::string, Series> &collected) {
    for (const char *stem : {"adm2", "vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3", "motion2"}) {
        for (const std::string &name : {std::string(stem), "integer_" + std::string(stem), "float_" + std::string(stem),
                                        "VMAF_integer_feature_" + std::string(stem) + "_score"}) {
            const auto found = std::ranges::find_if(
                series, [&](const auto &entry) { return entry.first == name || entry.first.starts_with(name + "_"); });
            if (found == series.end()) continue;
            Series &all = collected[stem];
            all.insert(all.end(), found->second.begin(), found->second.end());
            break;
        }
    }
}

struct StoredEncode {
    std::uint64_t stream_bytes = 0, file_bytes = 0;
    std::int64_t frames = 0;
    double seconds = 0;
    std::string encoder_version, produced_pix_fmt;
    int passes = 1;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StoredEncode, stream_bytes, file_bytes, frames, seconds, encoder_version,
                                   produced_pix_fmt, passes)

} // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FrameSize, width, height)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PixelLayout, chroma, bits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeasuredAt, size, layout, model)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DecodedBy, reference, encode)

namespace {

struct StoredScore {
    std::map<std::string, Series> metrics, features;
    std::string backend, model, scale_note, scorer_version;
    std::map<std::string, std::string> models;
    std::map<std::string, MeasuredAt> measured;
    DecodedBy decoded_by;
    std::vector<std::string> warnings;
    double seconds = 0;
    std::int64_t frames = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StoredScore, metrics, features, backend, model, scale_note, scorer_version, models,
                                   measured, decoded_by, warnings, seconds, frames)

template <class T> std::optional<T> find_stored(Cache *cache, Cache::Kind kind, const std::string &key) {
    T stored;
    return read_stored(cache, kind, key, [&](const json &text) { text.get_to(stored); }) ? std::optional(stored)
                                                                                         : std::nullopt;
}

std::string temporary_name(const std::string &folder, const std::string &extension) {
    static std::atomic<unsigned> counter{0};
    return folder + "/encode-" + std::to_string(system::own_process()) + "-" + std::to_string(counter++) + "." +
           extension;
}

} // namespace

std::string kept_name(const ProbeSetup &setup, const std::string &stem, double q) {
    return stem + "__" + setup.encode.adapter->name + "__" + setup.encode.preset +
           (setup.variant.empty() ? "" : "__" + setup.variant) + "__crf" + number_text(q);
}

Arguments trial_command(const Programs &programs, const Adapter &adapter) {
    Arguments command = {programs.ffmpeg, "-nostdin"}; // its banner includes the version
    append(command, {"-f", "lavfi", "-i", "color=c=gray:s=256x144:r=24", "-frames:v", adapter.is_hardware ? "8" : "1",
                     "-pix_fmt", adapter.wants_10_bit ? "yuv420p10le" : "yuv420p", "-c:v", adapter.name});
    append(command,
           {"-flags", "+global_header", "-f", "null", "-"}); // without the flag x264 does not print its version
    return command;
}

std::string try_encoder(const Programs &programs, const Adapter &adapter) {
    const std::lock_guard lock(programs.known->mutex);
    std::map<std::string, std::string> &known = programs.known->encoder_versions;
    const auto found = known.find(adapter.name);
    if (found != known.end()) return found->second;
    const Arguments command = trial_command(programs, adapter);
    // Hardware may disappear.
    const ChildResult outcome = adapter.is_hardware ? run_child(command) : ask_program(programs, command);
    if (!outcome.ok()) {
        if (outcome.error_tail.find("Unknown encoder") != std::string::npos)
            throw Error(ENOENT, "this FFmpeg has no encoder '" + adapter.name + "'" +
                                    (adapter.configure_switch.empty()
                                         ? "; `vmaf-tune doctor` lists what it has"
                                         : "; it was built without " + std::string(adapter.configure_switch)));
        throw Error(ENODEV, adapter.name +
                                " does not work here: " + explain_failure("a trial", outcome.code, outcome.error_tail));
    }
    return known[adapter.name] = adapter.encoder_version(outcome.error_tail);
}

std::pair<std::string, std::string> probe_keys(const ProbeSetup &setup, double q) {
    const std::string version = try_encoder(setup.programs, *setup.encode.adapter);
    std::string encode, score;
    for (const Sample &sample : setup.samples) {
        const std::string key = encode_key(setup, sample, q, version, 0);
        encode += key;
        score += score_key(setup, key);
    }
    return {encode.empty() ? "" : sha256_hex(encode), score.empty() ? "" : sha256_hex(score)};
}

namespace {

struct StoredFailure {
    int status = 0;
    std::string stage, error, tail;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StoredFailure, status, stage, error, tail)

// One probe; `result` collects its findings.
class Probe {
  public:
    Probe(const ProbeSetup &setup, double q) : setup_(setup), q_(q) {
        // The current backend; the key names it.
        if (setup_.score.backends) setup_.score.backend = setup_.score.backends->name();
        if (setup_.score.references) setup_.score.references->next_probe();
        result.q = q;
        result.out_pix_fmt = encoder_pix_fmt(setup.source, setup.encode);
        result.from_cache = true;
    }

    void run() {
        version_ = try_encoder(setup_.programs, *setup_.encode.adapter);
        std::tie(result.encode_key, result.score_key) = probe_keys(setup_, q_);
        for (std::size_t i = 0; i < setup_.samples.size(); i++) {
            if (i > 0 && interruption::urgent()) {
                result.outcome = {OutcomeKind::encoder_failed, "interrupted", "encode", "", 130};
                return;
            }
            if (!measure(i)) return;
            if (!scored_on_.empty() &&
                scored_on_ != setup_.score.backend) { // it was lost: score all samples on the other
                ProbeSetup again = setup_;
                again.score.backend = scored_on_;
                std::vector<std::string> warnings = std::move(result.warnings);
                Probe other(again, q_);
                other.result.warnings = std::move(warnings);
                other.run();
                result = std::move(other.result);
                return;
            }
        }
        finish();
    }

    ProbeResult result;

  private:
    // False here and below: it failed, and the result's outcome says why.
    bool measure(std::size_t number) {
        const Sample &sample = setup_.samples[number];
        const std::string encodes = encode_key(setup_, sample, q_, version_, setup_.encode.threads),
                          scores = score_key(setup_, encodes);
        if (setup_.cache_failures)
            if (auto failure = find_stored<StoredFailure>(setup_.cache, Cache::Kind::failure, scores)) {
                result.outcome = outcome_of_row(failure->status, failure->error);
                result.outcome.stage = failure->stage;
                result.outcome.tail = failure->tail;
                return false;
            }
        auto encode = find_stored<StoredEncode>(setup_.cache, Cache::Kind::encode, encodes);
        auto score = find_stored<StoredScore>(setup_.cache, Cache::Kind::score, scores);
        const std::string kept = kept_path(sample, encodes);
        result.command = encode_command(setup_.programs, sample.source, sample.window, setup_.encode, q_,
                                        setup_.encode.two_pass ? 2 : 0, "", kept.empty() ? "OUTPUT.mkv" : kept);
        if ((!encode || !score || !is_kept(kept, *encode)) && !make(number, kept, encodes, encode, score)) {
            const Outcome &o = result.outcome;
            if (check_source() && setup_.cache_failures && !interruption::requested())
                remember(setup_.cache, Cache::Kind::failure, scores,
                         json(StoredFailure{o.row_status(), o.stage, o.sentence, o.tail}), about(), result.warnings);
            return false;
        }
        const bool is_alone = setup_.samples.size() == 1;
        if (kept.empty() && is_alone && shared_path_.empty()) find_shared(encodes, *encode);
        result.encode_path = !is_alone ? "" : kept.empty() ? shared_path_ : kept;
        collect(sample, *encode, *score);
        return true;
    }

    // Where the encode stays; empty: nowhere.
    std::string kept_path(const Sample &sample, const std::string &key) const {
        if (!setup_.keep_as.empty() && setup_.samples.size() == 1) return setup_.keep_as;
        if (setup_.keep_in.empty()) return {};
        const auto of_command = [&] {
            return sha256_hex(shell_quoted(encode_command(setup_.programs, sample.source, sample.window, setup_.encode,
                                                          q_, setup_.encode.two_pass ? 2 : 0, "", "")));
        };
        const std::string name = kept_name(setup_, fs::path(setup_.source.path).stem().string(), q_) + "__" +
                                 (key.empty() ? of_command() : key).substr(0, 8);
        return (fs::path(setup_.keep_in) / (name + "." + setup_.encode.adapter->container)).string();
    }
    // Another run's file of this name has another size.
    static bool is_kept(const std::string &path, const StoredEncode &encode) {
        std::error_code error;
        return path.empty() || fs::file_size(path, error) == encode.file_bytes;
    }

    bool make(std::size_t number, const std::string &kept, const std::string &key, std::optional<StoredEncode> &encode,
              std::optional<StoredScore> &score) {
        const bool keeps = !kept.empty();
        const ScratchFile file(keeps ? kept : temporary_name(setup_.work_folder, setup_.encode.adapter->container),
                               keeps);
        EncodeResult encoded;
        if (encode && find_shared(key, *encode)) {
            encoded.path = shared_path_;
            encoded.file_bytes = encode->file_bytes;
            encoded.frames = encode->frames;
        } else {
            if (keeps && !reserve(file.path())) return false;
            if (!score) prepare_score(setup_.samples[number]);
            encoded = make_encode(number, file.path());
            if (!encoded.ok()) return false;
            encode = StoredEncode{encoded.stream_bytes, encoded.file_bytes,      encoded.frames,
                                  encoded.seconds,      encoded.encoder_version, "",
                                  encoded.passes};
            share(key, *encode, file.path());
        }
        if (!score_encode(number, encoded, key, *encode, score)) return false;
        remember(setup_.cache, Cache::Kind::encode, key, json(*encode), about(), result.warnings);
        return true;
    }

    void prepare_score(const Sample &sample) const {
        if (setup_.score.backend == "cpu") return;
        const Products products(setup_);
        std::optional<Source> produced = products.known();
        if (!produced) produced = products.expected();
        if (produced)
            open_ahead(setup_.programs, {&sample.source, sample.window, &*produced, {}, 0, 0, 0, {}, {}}, setup_.score);
    }

    // An encode that another machine, or an interrupted run on this one, made but did not score with these settings.
    bool find_shared(const std::string &key, const StoredEncode &encode) {
        const SharedResults *shared = setup_.cache ? setup_.cache->shared() : nullptr;
        shared_path_ = shared ? shared->find_encode(key, setup_.encode.adapter->container, encode.file_bytes) : "";
        return !shared_path_.empty();
    }

    void share(const std::string &key, const StoredEncode &encode, const std::string &path) {
        const SharedResults *shared = setup_.cache ? setup_.cache->shared() : nullptr;
        if (!shared) return;
        shared_path_ = shared->keep_encode(key, setup_.encode.adapter->container, path);
        if (!shared_path_.empty())
            remember(setup_.cache, Cache::Kind::encode, key, json(encode), about(), result.warnings);
    }

    std::string about() const {
        return setup_.encode.adapter->name + " " + setup_.encode.preset + " " + number_text(q_) + " " +
               setup_.source.path;
    }

    StageProgress progress_of(Stage stage, std::size_t number) const {
        const Sample &sample = setup_.samples[number];
        const std::int64_t frames = sample.window.full() ? sample.source.frame_count() : sample.window.frames;
        return {stage, q_, number, setup_.samples.size(), 0, frames, 0};
    }

    // Runs a stage in its permit and reports its progress.
    template <class Work> auto with_permit(Stage stage, std::size_t number, Work work) {
        StageProgress progress = progress_of(stage, number);
        const auto report = [&](std::int64_t frame, double fps) {
            progress.frame = frame;
            progress.fps = fps;
            if (setup_.progress) setup_.progress(progress);
        };
        const Permits::Held permit(setup_.permits, stage);
        const Pinned pinned(permit.processors());
        report(0, 0);
        auto done = work(report);
        progress.seconds = done.seconds;
        progress.done = true;
        report(progress.frames, progress.fps);
        return done;
    }

    bool check_source() {
        try {
            demand_unchanged(setup_.source);
            return true;
        } catch (const Error &e) {
            result.outcome = {OutcomeKind::reference_undecodable, e.what(), "source"};
            return false;
        }
    }

    // FFmpeg would follow links that others put there.
    bool reserve(const std::string &path) {
        try {
            system::reserve_file(path);
            return true;
        } catch (const Error &e) {
            result.outcome = {OutcomeKind::not_stored, e.what(), "encode"};
            return false;
        }
    }

    EncodeResult make_encode(std::size_t number, const std::string &path) {
        const Sample &sample = setup_.samples[number];
        EncodeResult encoded = with_permit(Stage::encode, number, [&](const auto &report) {
            return run_encode(setup_.programs, sample.source, sample.window, setup_.encode, q_, path, report,
                              temporary_name(setup_.work_folder, "stats"));
        });
        result.from_cache = false;
        result.command = encoded.command;
        result.encoder_version = encoded.encoder_version;
        result.outcome = encoded.outcome;
        if (!encoded.ok())
            result.encode_seconds += encoded.seconds;
        else if (!check_source()) // before others get it
            encoded.outcome = result.outcome;
        return encoded;
    }

    // Starts with the requested format; meanwhile the actual one is read back, and decides.
    bool score_encode(std::size_t number, const EncodeResult &encoded, const std::string &key, StoredEncode &encode,
                      std::optional<StoredScore> &score) {
        const Products products(setup_);
        std::optional<Source> produced = products.known();
        std::optional<Later<Source>> real;
        if (!produced) {
            produced = products.expected();
            real.emplace([&] { return products.read_back(encoded.path); });
            if (!produced || score) {
                produced = real->get();
                real.reset();
            }
        }
        const auto locate = [&] {
            produced->path = encoded.path;
            produced->file_bytes = encoded.file_bytes;
            produced->frames = encoded.frames;
            encode.produced_pix_fmt = produced->pix_fmt;
        };
        locate();
        const bool was_scored = score.has_value();
        if (!was_scored && !make_score(number, *produced, encode, score)) return false;
        if (real) {
            const Source &found = real->get();
            const bool are_alike = Products::are_alike(found, *produced);
            produced = found;
            locate();
            if (!are_alike && !make_score(number, *produced, encode, score)) return false;
        }
        if (was_scored) return true;
        if (!check_source()) return false;
        ProbeSetup used = setup_;
        used.score.backend = scored_on_;
        remember(setup_.cache, Cache::Kind::score, score_key(used, key), json(*score), about(), result.warnings);
        return true;
    }

    bool make_score(std::size_t number, const Source &produced, const StoredEncode &encode,
                    std::optional<StoredScore> &stored) {
        const Sample &sample = setup_.samples[number];
        const ScorePair pair{&sample.source, sample.window, &produced, {}, encode.frames, 0, 0, {}, {}};
        const ScoreResult scored = with_permit(Stage::score, number, [&](const auto &report) {
            return run_score(setup_.programs, pair, setup_.score, report);
        });
        scored_on_ = scored.backend_tried;
        if (scored.outcome.kind == OutcomeKind::backend_not_kept) result.backend = scored.backend_used;
        if (!scored.ok()) {
            result.warnings.insert(result.warnings.end(), scored.warnings.begin(), scored.warnings.end());
            result.encode_seconds += encode.seconds;
            result.stream_bytes += encode.stream_bytes;
            result.outcome = scored.outcome;
            result.outcome.stage = "score";
            return false;
        }
        stored.emplace();
        for (const MetricChoice &metric : setup_.score.metrics)
            stored->metrics[metric.name] = scored.series.at(metric.series);
        add_features(scored.series, stored->features);
        stored->backend = scored.backend_used;
        stored->model = scored.model;
        stored->models = scored.models;
        stored->measured = scored.measured;
        stored->decoded_by = scored.decoded_by;
        stored->scale_note = scored.scale_note;
        stored->scorer_version = scored.scorer_version;
        stored->warnings = scored.warnings;
        stored->seconds = scored.seconds;
        stored->frames = scored.frames;
        return true;
    }

    void collect(const Sample &sample, const StoredEncode &encode, const StoredScore &score) {
        result.encoder_version = encode.encoder_version;
        result.produced_pix_fmt = encode.produced_pix_fmt;
        result.passes = encode.passes;
        result.stream_bytes += setup_.size_of_file ? encode.file_bytes : encode.stream_bytes;
        result.file_bytes += encode.file_bytes;
        result.encoded_frames += encode.frames;
        result.encode_seconds += encode.seconds;
        result.score_seconds += score.seconds;
        result.scored_frames += score.frames;
        result.encoded_duration += sample.seconds > 0 ? sample.seconds : 0;
        result.backend = score.backend;
        result.model = score.model;
        result.models = score.models;
        result.measured = score.measured;
        result.decoded_by = score.decoded_by;
        result.scale_note = score.scale_note;
        result.scorer_version = score.scorer_version;
        for (const std::string &warning : score.warnings) result.warnings.push_back(warning);
        const auto add = [](std::map<std::string, Series> &to, const std::map<std::string, Series> &from) {
            for (const auto &[name, values] : from) to[name].insert(to[name].end(), values.begin(), values.end());
        };
        add(result.series, score.metrics);
        add(features_, score.features);
        const std::string &target = setup_.score.metrics.front().name;
        result.samples.push_back({sample.start, encode.frames, encode.stream_bytes,
                                  pooled_metric(target, score.metrics.at(target), setup_.pool), score.frames});
    }

    void finish() {
        if (!result.produced_pix_fmt.empty() && result.produced_pix_fmt != result.out_pix_fmt)
            result.warnings.push_back(setup_.encode.adapter->name + " was given " + result.out_pix_fmt +
                                      " and produced " + result.produced_pix_fmt);
        for (const auto &[name, values] : features_)
            result.features[name] = {pooled(values, "mean"), standard_deviation(values)};
    }

    ProbeSetup setup_;
    double q_;
    std::string version_;
    std::string shared_path_; // of the last sample's encode, if machines share them
    std::string scored_on_;   // the backend of the last new score
    std::map<std::string, Series> features_;
};

} // namespace

ProbeResult run_probe(const ProbeSetup &setup, double q) {
    Probe probe(setup, q);
    Outcome &outcome = probe.result.outcome;
    try {
        probe.run();
    } catch (const Error &e) {
        outcome = {e.code() == ENOENT ? OutcomeKind::encoder_failed : OutcomeKind::scorer_failed, e.what(), "setup"};
    } catch (const std::exception &e) {
        outcome = {OutcomeKind::scorer_failed, e.what(), "setup"};
    }
    if (outcome.ok()) return probe.result;
    if (outcome.tail.size() > 2048) outcome.tail = outcome.tail.substr(outcome.tail.size() - 2048);
    probe.result.from_cache = false;
    return probe.result;
}

} // namespace vmaf::tune
