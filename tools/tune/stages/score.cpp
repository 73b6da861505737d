#include "stages/score.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "stages/direct_inputs.hpp"
#include "stages/score_inputs.hpp"
#include "stages/scratch_file.hpp"
#include "system/filesystem.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

// Files that the scorer opened: its decoders, or a device's.
DecodedBy decoders_in(const json &document) {
    const auto of = [&](const char *role) {
        const json facts = document.value("inputs", json::object()).value(role, json::object());
        return facts.value("hwaccel", std::string("vmaf"));
    };
    return {of("reference"), of("distorted")};
}

void read_document(const std::string &path, bool opens_files, ScoreResult &result) {
    fs::ifstream file(path);
    const json document = json::parse(file, nullptr, false);
    if (!document.is_object() || !document.contains("frames") || !document["frames"].is_array()) {
        result.outcome = {OutcomeKind::score_unreadable, "the scorer's document cannot be understood"};
        return;
    }
    result.backend_used = document.value("backend_used", std::string("unknown")); // never a guess
    if (opens_files) result.decoded_by = decoders_in(document);
    if (const auto list = document.find("feature_backends"); list != document.end()) {
        result.feature_backends.emplace();
        for (const json &entry : *list)
            if (entry.is_object())
                (*result.feature_backends)[entry.value("extractor", "")] = entry.value("backend", "unknown");
    }
    if (const auto map = document.find("map"); map != document.end()) result.map = map->dump();
    result.scorer_version = document.value("version", std::string("unknown"));
    for (const json &frame : document["frames"]) {
        if (!frame.contains("metrics")) continue;
        for (const auto &[name, value] : frame["metrics"].items())
            result.series[name].push_back(value.is_number() ? value.get<double>() : std::nan(""));
    }
    result.frames = static_cast<std::int64_t>(document["frames"].size());
}

// The deciding plane of xpsnr (see kXpsnr).
void choose_xpsnr_plane(ScoreResult &result) {
    const Series *lowest = nullptr;
    double least = 0;
    for (const char *plane : {"xpsnr_y", "xpsnr_cb", "xpsnr_cr"}) {
        const auto found = result.series.find(plane);
        if (found == result.series.end() || found->second.empty()) continue;
        for (double &x : found->second)
            if (!std::isfinite(x)) x = kIdentical; // null in the document
        const double figure = pooled_metric(kXpsnr, found->second, "mean");
        if (lowest && figure >= least) continue;
        lowest = &found->second;
        least = figure;
    }
    if (lowest) result.series[kXpsnr] = Series(*lowest);
}

// Runs the scorer on its inputs.
Scorers::Scored run_scorer(const Arguments &command, const ScoreInputs &inputs, const std::string &reference,
                           const ScoreSettings &settings, const ScoreProgress &progress) {
    RunOptions options;
    options.inherited = inputs.inherited();
    options.environment = scorer_environment(settings);
    options.timeout = settings.timeout;
    const auto start = std::chrono::steady_clock::now();
    std::int64_t frames = 0;
    if (!settings.scorers) {
        options.progress_marker = processor_time; // other scorers are silent until they end
        return {run_child(command, options), false, {}};
    }
    options.progress_marker = [&](ProcessNumber process) {
        return frames + (settings.is_patient ? work_done(process) : 0);
    };
    const bool keeps = inputs.opens_files() && settings.references && settings.backend != "cpu";
    return settings.scorers->score(command, options, keeps ? reference : "", [&](std::int64_t count) {
        frames = count;
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (progress) progress(frames, seconds > 0 ? double(frames) / seconds : 0);
    });
}

// A score up to its document, and its duration.
struct Attempt {
    Scorers::Scored scorer;
    Outcome inputs;
    std::vector<std::string> remarks;
    bool opens_files = false;
};
Attempt attempt_score(const Programs &programs, const ScorePair &pair, const ScorePlan &plan,
                      const ScoreSettings &settings, const std::string &document, const ScoreProgress &progress) {
    const auto inputs = make_score_inputs(programs, pair, plan, settings);
    Arguments command = scorer_command(programs, plan, settings, document);
    append(command, inputs->arguments());
    Scorers::Scored scorer = run_scorer(command, *inputs, pair.reference->path, settings, progress);
    Outcome outcome = inputs->finish(scorer.timed_out);
    return {std::move(scorer), std::move(outcome), inputs->remarks(), inputs->opens_files()};
}

// That the scorer's document should have; 0: unknown.
std::int64_t expected_frames(const ScorePair &pair, const ScoreSettings &settings) {
    return pair.expected_frames > 0 ? (pair.expected_frames + settings.subsample - 1) / settings.subsample : 0;
}

// Problems of a result that was read; empty: none.
void check_result(const ScorePair &pair, const ScoreSettings &settings, ScoreResult &result) {
    const auto fail = [&](OutcomeKind kind, const std::string &sentence) { result.outcome = {kind, sentence}; };
    const std::int64_t expected = expected_frames(pair, settings);
    const std::int64_t missing = expected - result.frames;
    if (expected > 0 && std::llabs(missing) > 1 && !settings.allow_short && settings.dist_delay == 0)
        return fail(OutcomeKind::bad_output,
                    "frame count mismatch: " + std::to_string(expected) + " frames were expected, " +
                        std::to_string(result.frames) +
                        " could be paired; check for dropped or repeated frames, or use --allow-short");
    if (expected > 0 && missing != 0)
        result.warnings.push_back("frame counts differ by " + std::to_string(missing) + "; the common part was scored");
    for (const MetricChoice &metric : settings.metrics) {
        const auto series = result.series.find(metric.series);
        if (series == result.series.end() || series->second.empty())
            return fail(OutcomeKind::score_unreadable, "the scorer gave no '" + metric.series + "'");
        for (const double x : series->second)
            if (metric.feature.empty() && !(x >= 0 && x <= 110))
                return fail(OutcomeKind::score_out_of_range,
                            "a frame's " + metric.name + " is not a number between 0 and 100");
    }
}

// An explicit backend is a promise: compares it with the document after scoring.
void check_backend(const ScoreSettings &settings, ScoreResult &result) {
    if (!settings.is_backend_explicit) return;
    std::string elsewhere;
    if (result.feature_backends) {
        for (const auto &[extractor, backend] : *result.feature_backends)
            if (backend != settings.backend) {
                elsewhere += (elsewhere.empty() ? "" : ", ") + extractor + " on " + backend;
                result.backend_used = backend;
            }
    } else if (result.backend_used != "unknown" && result.backend_used != settings.backend) {
        for (const MetricChoice &metric : settings.metrics) elsewhere += (elsewhere.empty() ? "" : ", ") + metric.name;
        elsewhere += " on " + result.backend_used;
    }
    if (elsewhere.empty()) return;
    result.outcome = {OutcomeKind::backend_not_kept, "--score-backend " + settings.backend +
                                                         " was not kept: the scorer computed " + elsewhere +
                                                         "; leave these metrics out, or use --score-backend auto"};
}

// By one transport.
ScoreResult score_by(const Programs &programs, const ScorePair &pair, const ScorePlan &plan,
                     const ScoreSettings &settings, const ScoreProgress &progress) {
    ScoreResult result;
    const auto fail = [&](Outcome outcome) {
        result.outcome = std::move(outcome);
        return result;
    };
    try {
        result.model = plan.model;
        result.models = plan.models;
        result.scale_note = plan.note;
        for (const MetricChoice &metric : settings.metrics) {
            const auto model = plan.models.find(metric.name);
            result.measured[metric.name] = {plan.size, plan.layout, model == plan.models.end() ? "" : model->second};
        }
        result.warnings = plan.warnings;
        const ScratchFile document(settings.work_folder + "/scores-" +
                                   std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) +
                                   ".json");
        const auto start = std::chrono::steady_clock::now();
        const auto attempt = [&] { return attempt_score(programs, pair, plan, settings, document.path(), progress); };
        Attempt made = attempt();
        // The cause of a server's end may be unrelated to this score.
        if (made.scorer.has_died && !interruption::urgent()) made = attempt();
        const auto &[scorer, inputs, remarks, opens_files] = made;
        result.warnings.insert(result.warnings.end(), remarks.begin(), remarks.end());
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (scorer.timed_out) return fail({OutcomeKind::timed_out, "the scorer made no progress within --timeout"});
        if (!inputs.ok()) return fail(inputs);
        if (!scorer.ok()) {
            const bool backend_lost = settings.backend != "cpu" && scorer.code != 1 && !scorer.interrupted;
            return fail({backend_lost ? OutcomeKind::backend_lost : OutcomeKind::scorer_failed,
                         explain_failure("the scorer", scorer.code, scorer.error_tail), "", scorer.error_tail});
        }
        read_document(document.path(), opens_files, result);
        choose_xpsnr_plane(result);
        if (result.ok()) check_backend(settings, result);
        if (result.ok()) check_result(pair, settings, result);
    } catch (const Error &e) {
        return fail({OutcomeKind::scorer_failed, e.what()});
    }
    return result;
}

// Whether another transport would say the same.
bool is_final(const ScoreResult &result) {
    const OutcomeKind kind = result.outcome.kind;
    return result.ok() || kind == OutcomeKind::reference_undecodable || kind == OutcomeKind::backend_not_kept;
}

// By the transport that suits the pair. A scorer may refuse files that FFmpeg decodes, or decode other frames of them:
// then pipes carry what FFmpeg decodes.
ScoreResult score_once(const Programs &programs, const ScorePair &pair, const ScoreSettings &settings,
                       const ScoreProgress &progress) {
    ScorePlan plan;
    try {
        plan = plan_score(programs, pair, settings);
    } catch (const Error &e) {
        ScoreResult result;
        result.outcome = {OutcomeKind::scorer_failed, e.what()};
        return result;
    }
    if (settings.transport != ScoreTransport::automatic) return score_by(programs, pair, plan, settings, progress);
    ScoreSettings piped = settings;
    piped.transport = ScoreTransport::pipe;
    if (!may_be_direct(pair, plan, settings)) return score_by(programs, pair, plan, piped, progress);
    ScoreResult direct = score_by(programs, pair, plan, settings, progress);
    const std::int64_t expected = expected_frames(pair, settings);
    if (direct.ok() && expected > 0 && direct.frames != expected)
        direct.outcome = {OutcomeKind::bad_output,
                          "it gave " + std::to_string(direct.frames) + " of " + std::to_string(expected) + " frames"};
    if (is_final(direct) || interruption::urgent()) return direct;
    ScoreResult result = score_by(programs, pair, plan, piped, progress);
    result.seconds += direct.seconds;
    if (!result.ok()) return result;
    settings.checks->give_up(*pair.reference);
    result.warnings.push_back("FFmpeg decoded the frames, because the scorer could not use the files: " +
                              direct.outcome.sentence);
    return result;
}

// Merges another scorer run on the same pair.
void merge(ScoreResult &all, const ScoreResult &part) {
    all.seconds += part.seconds;
    all.series.insert(part.series.begin(), part.series.end());
    if (all.models.empty()) all.model = part.model;
    if (all.map.empty()) all.map = part.map;
    all.models.insert(part.models.begin(), part.models.end());
    all.measured.insert(part.measured.begin(), part.measured.end());
    if (all.feature_backends && part.feature_backends)
        all.feature_backends->insert(part.feature_backends->begin(), part.feature_backends->end());
    for (const std::string &warning : part.warnings)
        if (std::find(all.warnings.begin(), all.warnings.end(), warning) == all.warnings.end())
            all.warnings.push_back(warning);
}

// Every metric at its own size.
ScoreResult score_sizes(const Programs &programs, const ScorePair &pair, const ScoreSettings &settings,
                        const ScoreProgress &progress) {
    std::vector<std::vector<MetricChoice>> groups;
    try {
        groups = groups_by_size(programs, pair, settings);
    } catch (const Error &) { // score_once reports the problem
        groups = {settings.metrics};
    }
    ScoreResult all;
    for (std::size_t i = 0; i < groups.size(); i++) {
        ScoreSettings one = settings;
        one.metrics = groups[i];
        const auto share = [&](std::int64_t frame, double fps) { // frames of all runs together
            if (progress)
                progress((static_cast<std::int64_t>(i) * pair.expected_frames + frame) / std::ssize(groups), fps);
        };
        ScoreResult part = score_once(programs, pair, one, share);
        if (!part.ok()) return part;
        if (i == 0)
            all = std::move(part);
        else
            merge(all, part);
    }
    return all;
}

// A scorer whose document does not name the backend per feature runs one metric at a time: then the one backend that it
// names is that metric's.
ScoreResult score_checked(const Programs &programs, const ScorePair &pair, const ScoreSettings &settings,
                          const ScoreProgress &progress) {
    const bool may_differ = settings.is_backend_explicit && settings.backend != "cpu" && settings.metrics.size() > 1;
    ScoreResult all;
    if (!may_differ || !settings.backends || !settings.backends->names_one_backend()) {
        all = score_sizes(programs, pair, settings, progress);
        if (!may_differ || !all.ok() || all.feature_backends || all.backend_used == "unknown") return all;
        if (settings.backends) settings.backends->set_names_one_backend();
    }
    ScoreResult merged;
    bool is_first = true;
    for (const MetricChoice &metric : settings.metrics) {
        ScoreSettings one = settings;
        one.metrics = {metric};
        ScoreResult part = score_once(programs, pair, one, progress);
        if (!part.ok()) return part;
        if (is_first)
            merged = std::move(part);
        else
            merge(merged, part);
        is_first = false;
    }
    return merged;
}

} // namespace

ScoreResult run_score(const Programs &programs, const ScorePair &pair, const ScoreSettings &settings,
                      const ScoreProgress &progress) {
    ScoreSettings now = settings;
    std::vector<std::string> losses;
    for (;;) {
        if (now.backends) now.backend = now.backends->name();
        ScoreResult result = score_checked(programs, pair, now, progress);
        result.backend_tried = now.backend;
        // A GPU that returns garbage is lost, like one that returns nothing.
        const OutcomeKind kind = result.outcome.kind;
        const bool is_lost =
            kind == OutcomeKind::backend_lost || (kind == OutcomeKind::score_out_of_range && now.backend != "cpu");
        if (!is_lost || !now.backends || !now.backends->replace(now.backend)) {
            result.warnings.insert(result.warnings.begin(), losses.begin(), losses.end());
            return result;
        }
        losses.push_back("the scoring backend " + now.backend + " failed (" + result.outcome.sentence + "); " +
                         now.backends->name() + " takes over");
    }
}

} // namespace vmaf::tune
