#include "commands/fast.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/lists.hpp"
#include "base/seconds.hpp"
#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "commands/commands.hpp"
#include "commands/search_hints.hpp"
#include "commands/search_result.hpp"
#include "stages/conditions.hpp"
#include "system/filesystem.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

constexpr double kChunkSeconds = 5;
constexpr std::int64_t kScoredFrames = 40; // of a proxy; more add little
constexpr unsigned kMostSubsampling = 5;

struct FastRequest : ProbeRequest, SearchOptions {
    int trials = 30;
    double time_budget = 300, proxy_tolerance = 1.5; // seconds; score units between proxy and whole
    bool smoke = false, verify_whole = false;
};

struct Trial {
    double q = 0, score = 0, kbps = 0;
};

// The whole source at one value: predicted and measured.
struct Verification {
    double q = 0, predicted = 0, error_bar = 0, score = 0, kbps = 0;
    double gap() const { return std::fabs(score - predicted); }
};

struct FastAnswer {
    std::optional<double> q;
    double score = 0, kbps = 0, error_bar = 0;
    bool is_met = false;
    std::vector<Trial> trials;
    std::vector<Verification> verified; // in the order of measuring
    std::string verified_on;
    std::vector<std::string> notes;
    std::string backend, scored; // scored: the conditions of the verification
};

// Linear between trials in the logarithm, and beyond them.
double rate_at(std::vector<Trial> trials, double q) {
    std::ranges::sort(trials, [](const Trial &a, const Trial &b) { return a.q < b.q; });
    if (trials.size() == 1) return trials.front().kbps;
    std::size_t i = 1;
    while (i + 1 < trials.size() && trials[i].q < q) i++;
    const Trial &a = trials[i - 1], &b = trials[i];
    if (!(a.kbps > 0) || !(b.kbps > 0)) return a.kbps;
    return std::exp(std::log(a.kbps) + (std::log(b.kbps) - std::log(a.kbps)) * (q - a.q) / (b.q - a.q));
}

ScoreCurve curve_of(const std::vector<Trial> &trials, const Adapter &adapter, bool bounded) {
    std::vector<QualityPoint> points;
    for (const Trial &t : trials) points.push_back({t.q, t.score});
    return ScoreCurve(points, bounded, typical_slope(adapter));
}

// The lowest quality on the grid whose predicted score meets the target; else the best one.
int chosen_point(const ScoreCurve &curve, const QualityGrid &grid, double target) {
    for (int k = grid.last(); k > 0; k--)
        if (curve.score_at(grid.q(k)) >= target) return k;
    return 0;
}

// The uncertainty of a mean over half-second pieces: two standard errors, for the unseen part of the source and for
// skipped frames.
double sampling_error(const Series &scores, double scored_per_second, double part_seen) {
    const auto length = static_cast<std::size_t>(std::max(2.0, scored_per_second / 2));
    Series pieces;
    for (std::size_t at = 0; at + length <= scores.size(); at += length)
        pieces.push_back(pooled(Series(scores.begin() + static_cast<std::ptrdiff_t>(at),
                                       scores.begin() + static_cast<std::ptrdiff_t>(at + length)),
                                "mean"));
    if (pieces.size() < 2) return 0;
    const double error = standard_deviation(pieces) / std::sqrt(double(pieces.size() - 1));
    return 2 * error * std::sqrt(std::max(0.0, 1 - part_seen));
}

FastAnswer answer_from(const ScoreCurve &curve, std::vector<Trial> trials, const QualityGrid &grid, double target) {
    FastAnswer answer;
    const int k = chosen_point(curve, grid, target);
    answer.q = grid.q(k);
    answer.score = curve.score_at(*answer.q);
    answer.kbps = rate_at(trials, *answer.q);
    answer.is_met = answer.score >= target;
    answer.trials = std::move(trials);
    return answer;
}

// A synthetic curve, for testing a pipeline without an encoder.
FastAnswer smoke(const FastRequest &o, const Adapter &adapter, double target) {
    const QualityGrid grid(adapter, o, 1);
    const auto measured = [](double q) {
        const double n = std::clamp((q - 10) / 41, 0.0, 1.0);
        return Trial{q, 99 - 47 * std::pow(n, 1.2), 8000 * std::exp(-3.5 * n) + 80};
    };
    SearchSettings settings;
    settings.last = grid.last();
    settings.target = target;
    const auto search = make_search(SearchMethod::interp, settings);
    std::vector<Trial> trials;
    while (static_cast<int>(trials.size()) < o.trials) {
        const auto k = search->next();
        if (!k) break;
        trials.push_back(measured(grid.q(*k)));
        search->add(*k, {trials.back().score, true});
    }
    FastAnswer answer = answer_from(curve_of(trials, adapter, true), trials, grid, target);
    if (const auto found = search->answer(); found.k) { // every point of this curve is known
        const Trial at = measured(grid.q(*found.k));
        answer.q = at.q;
        answer.score = at.score;
        answer.kbps = at.kbps;
        answer.is_met = at.score >= target;
    }
    answer.notes.push_back("smoke mode: a made-up curve, nothing was encoded");
    return answer;
}

class FastRun {
  public:
    FastRun(Run &run, const FastRequest &o, const QualityTarget &target)
        : run_(run), options_(o), target_(target), metric_(*metric_choice(target.metric)),
          source_(run.open_source(o.sources.at(0))), adapter_(run.only_adapter()),
          proxy_(run.setup(source_, adapter_, run.only_preset(), true)), grid_(adapter_, o, adapter_.step) {
        std::int64_t frames = 0;
        for (const Sample &sample : proxy_.samples) {
            frames += sample.window.full() ? sample.source.frame_count() : sample.window.frames;
            seconds_ += sample.seconds;
        }
        if (o.subsample <= 1) {
            proxy_.score.subsample =
                static_cast<unsigned>(std::clamp<std::int64_t>(frames / kScoredFrames, 1, kMostSubsampling));
            // Odd, so that every position in groups of 2, 4 or 8 pictures is scored.
            if (proxy_.score.subsample % 2 == 0) proxy_.score.subsample--;
        }
        run.show_progress(proxy_, adapter_.name + " " + adapter_.knob);
    }

    const ProbeSetup &proxy() const { return proxy_; }
    double middle() const { return grid_.q(grid_.last() / 2); }

    FastAnswer find() {
        SearchSettings settings;
        settings.last = grid_.last();
        settings.target = target_.value;
        settings.bounded_by_100 = metric_.bounded_by_100;
        settings.tolerance = kNear;
        settings.noise = options_.noise;
        const SearchHints hints(run_.cache(), proxy_, options_, {target_});
        settings.start = grid_.nearest(options_.start_q.value_or(hints.start(std::nullopt)));
        const auto search = make_search(SearchMethod::interp, settings);
        std::vector<Trial> trials;
        std::optional<std::string> cut_short;
        while (const auto k = search->next()) {
            if (static_cast<int>(trials.size()) >= options_.trials) cut_short = "--n-trials ended the search";
            if (!trials.empty() && elapsed() > options_.time_budget) cut_short = "--time-budget-s ended the search";
            if (cut_short) break;
            const ProbeResult probe = run_.probe(proxy_, grid_.q(*k));
            trials.push_back({probe.q, score_of(proxy_, probe), probe.bitrate_kbps()});
            last_ = probe;
            search->add(*k, {trials.back().score, true});
            run_.progress().probe_done(
                source_.path, {{"q", probe.q}, {"score", trials.back().score}, {"bitrate_kbps", trials.back().kbps}},
                adapter_.name + " " + adapter_.knob + " " + number_text(probe.q) + ": " + target_.metric + " " +
                    fixed_text(trials.back().score, 4) + ", " + fixed_text(trials.back().kbps, 1) + " kbps" +
                    (probe.from_cache ? " [cached]" : ""));
            if (is_located(curve_of(trials, adapter_, metric_.bounded_by_100), target_.value, metric_.bounded_by_100))
                break;
        }
        const ScoreCurve curve = curve_of(trials, adapter_, metric_.bounded_by_100);
        FastAnswer answer = answer_from(curve, trials, grid_, target_.value);
        answer.backend = last_.backend;
        if (cut_short) answer.notes.push_back(*cut_short);
        if (!answer.is_met) answer.notes.push_back("the best allowed " + adapter_.knob + " misses the target");
        const double seen = source_.duration > 0 ? std::min(1.0, seconds_ / source_.duration) : 1;
        const double scored = source_.rate.value() / proxy_.score.subsample;
        const double sampling = sampling_error(last_.series.at(target_.metric), scored, seen / proxy_.score.subsample);
        const double model = curve_error({*answer.q, answer.score}, curve.points());
        // A piece starts with a key frame and lacks earlier references.
        const double edge = seen < 1 ? kEdge / std::max(1.0, seconds_ * source_.rate.value()) : 0;
        answer.error_bar = std::max(kLeastBar, std::hypot(sampling, model, edge));
        return answer;
    }

    // Measures the whole at the value from the piece's curve and, if that misses, at the value from the curve shifted
    // to the measurement. The measurement closest to the target is the answer.
    void verify(FastAnswer &answer) {
        const ProbeSetup whole = setup_of_whole();
        answer.verified_on = whole.clip_mode;
        const ScoreCurve curve = curve_of(answer.trials, adapter_, metric_.bounded_by_100);
        Verification now{*answer.q, answer.score, answer.error_bar, 0, 0};
        for (int i = 0;; i++) {
            const double begun = elapsed();
            const ProbeResult probe = run_.probe(whole, now.q);
            now.score = score_of(whole, probe);
            now.kbps = probe.bitrate_kbps();
            answer.verified.push_back(now);
            answer.scored = conditions_line(whole, probe);
            if (is_hit(now.score) || i == kMostCorrections) break;
            const double next = refined(curve, answer.verified);
            if (std::ranges::any_of(answer.verified, [&](const Verification &v) { return v.q == next; })) break;
            if (2 * elapsed() - begun > options_.time_budget) {
                answer.notes.push_back("--time-budget-s leaves no time for a correction");
                break;
            }
            now = {next, moved(curve, next, nearest_to_target(answer.verified)), 0, 0, 0};
            now.error_bar = std::max(kLeastBar, curve_error({now.q, now.predicted}, answer.verified));
        }
        const Verification best = best_of(answer.verified);
        if (answer.verified.size() > 1)
            answer.notes.push_back("the piece said " + fixed_text(answer.verified.front().predicted, 2) +
                                   ", the whole " + fixed_text(answer.verified.front().score, 2) + " at " +
                                   adapter_.knob + " " + number_text(answer.verified.front().q) + ": corrected with " +
                                   std::to_string(answer.verified.size() - 1) +
                                   (answer.verified.size() == 2 ? " more encode" : " more encodes") + " of the whole");
        answer.q = best.q;
        answer.score = best.predicted;
        answer.error_bar = best.error_bar;
        if (best.q != answer.verified.front().q) answer.kbps = best.kbps;
        answer.is_met = best.score >= target_.value;
    }

    // The value that should exactly meet the target on the whole.
    double refined(const FastAnswer &answer) const {
        return refined(curve_of(answer.trials, adapter_, metric_.bounded_by_100), answer.verified);
    }

  private:
    static constexpr double kNear = 0.1;   // from the target: such a trial is the answer
    static constexpr double kAbove = 1;    // a smaller excess over the target needs no correction
    static constexpr double kBelow = 0.25; // as close as kAbove, for a point that corrects the curve
    static constexpr int kMostCorrections = 2;
    static constexpr double kLeastBar = 0.1; // encoders and scalers are not more exact
    static constexpr double kEdge = 40;      // points times frames: 12 of 13 pieces of 20 frames were within 2 points

    double elapsed() const { return seconds_since(started_); }
    double score_of(const ProbeSetup &setup, const ProbeResult &probe) const {
        return probe_score(setup, probe, target_.metric, target_.pool);
    }
    bool is_hit(double score) const { return score >= target_.value && score <= target_.value + kAbove; }
    // The closest measurement that meets the target, else the closest.
    const Verification &best_of(const std::vector<Verification> &verified) const {
        const Verification *best = nullptr;
        for (const Verification &v : verified)
            if (v.score >= target_.value && (!best || v.score < best->score)) best = &v;
        return best ? *best : nearest_to_target(verified);
    }
    const Verification &nearest_to_target(const std::vector<Verification> &verified) const {
        // Points below the target weigh more than points above it.
        const auto distance = [&](const Verification &v) {
            return std::max((target_.value - v.score) / kBelow, (v.score - target_.value) / kAbove);
        };
        return *std::ranges::min_element(
            verified, [&](const Verification &a, const Verification &b) { return distance(a) < distance(b); });
    }
    // The piece's curve, shifted through the measurement of the whole.
    double moved(const ScoreCurve &curve, double q, const Verification &at) const {
        const bool bounded = metric_.bounded_by_100;
        const double shift = straightened(at.score, bounded) - straightened(curve.score_at(at.q), bounded);
        return score_from_straight(straightened(curve.score_at(q), bounded) + shift, bounded);
    }
    double refined(const ScoreCurve &curve, const std::vector<Verification> &verified) const {
        const auto is_above = [&](const Verification &v) { return v.score >= target_.value; };
        const bool is_enclosed = std::ranges::any_of(verified, is_above) && !std::ranges::all_of(verified, is_above);
        int k = grid_.last();
        if (is_enclosed) { // the whole's own curve is better than the piece's
            std::vector<Trial> trials;
            for (const Verification &v : verified) trials.push_back({v.q, v.score, v.kbps});
            const ScoreCurve own = curve_of(trials, adapter_, metric_.bounded_by_100);
            while (k > 0 && own.score_at(grid_.q(k)) < target_.value) k--;
            return grid_.q(k);
        }
        const Verification &at = nearest_to_target(verified);
        while (k > 0 && moved(curve, grid_.q(k), at) < target_.value) k--;
        return grid_.q(k);
    }
    // The whole source, or what `search` would use if that exceeds the remaining budget.
    ProbeSetup setup_of_whole() {
        ProbeSetup whole = proxy_;
        whole.score.subsample = options_.subsample;
        whole.samples = {{source_, Window{}, 0, source_.duration}};
        whole.clip_mode = "full";
        const double expected = seconds_ > 0 ? (last_.encode_seconds + last_.score_seconds * proxy_.score.subsample) *
                                                   source_.duration / seconds_
                                             : 0;
        if (options_.verify_whole || elapsed() + expected <= options_.time_budget) return whole;
        const SampleChoice choice = choose_samples(source_, SamplingRequest{});
        const system::fs::path folder = system::fs::path(run_.work_folder()) / "verification";
        system::fs::create_directories(folder);
        whole.samples = cut_samples(run_.programs(), source_, choice, folder.string());
        whole.clip_mode = choice.clip_mode;
        return whole;
    }
    // The error from differing slopes, over the distance to the closest measured point.
    template <class Points> double curve_error(const QualityPoint &at, const Points &measured) const {
        constexpr double kSlopeError = 0.2; // of the typical slope, if points enclose the answer
        double nearest = std::numeric_limits<double>::infinity();
        for (const auto &p : measured) nearest = std::min(nearest, std::fabs(p.q - at.q));
        const double change = kSlopeError * nearest * std::fabs(typical_slope(adapter_));
        return std::fabs(at.score - score_from_straight(straightened(at.score, metric_.bounded_by_100) - change,
                                                        metric_.bounded_by_100));
    }

    Run &run_;
    const FastRequest &options_;
    QualityTarget target_;
    MetricChoice metric_;
    Source source_;
    const Adapter &adapter_;
    ProbeSetup proxy_;
    QualityGrid grid_;
    double seconds_ = 0; // of the proxy
    ProbeResult last_;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

json document_of(const FastAnswer &a, const std::string &encoder, const std::string &preset, double target,
                 bool is_smoke) {
    json trials = json::array();
    for (const Trial &t : a.trials) trials.push_back({{"q", t.q}, {"score", t.score}, {"bitrate_kbps", t.kbps}});
    return {{"encoder", encoder},
            {"preset", preset},
            {"target_vmaf", target},
            {"recommended_crf", a.q ? json(*a.q) : json(nullptr)},
            {"predicted_vmaf", a.score},
            {"predicted_kbps", a.kbps},
            {"error_bar", is_smoke ? json(nullptr) : json(a.error_bar)},
            {"n_trials", a.trials.size()},
            {"trials", trials},
            {"smoke", is_smoke},
            {"verify_vmaf", nullptr},
            {"verify_kbps", nullptr},
            {"proxy_verify_gap", nullptr},
            {"score_backend", is_smoke ? json(nullptr) : json(a.backend)}};
}

void write_document(const RunningOptions &o, json document, const FastAnswer &a) {
    document["notes"] = joined(a.notes, "; ");
    write_result(o, o.output, json_document(document));
}

} // namespace

bool is_located(const ScoreCurve &curve, double target, bool bounded_by_100) {
    constexpr double kNearBounded = 1.4, kNearOther = 1.5; // of straightened scores: about three CRF steps
    const double wish = straightened(target, bounded_by_100);
    const std::vector<QualityPoint> &points = curve.points();
    for (std::size_t i = 1; i < points.size(); i++) {
        const double a = straightened(points[i - 1].score, bounded_by_100),
                     b = straightened(points[i].score, bounded_by_100);
        if (std::min(a, b) <= wish && wish <= std::max(a, b))
            return std::fabs(a - b) <= (bounded_by_100 ? kNearBounded : kNearOther);
    }
    return false;
}

namespace {

int run_smoke(const FastRequest &o, const QualityTarget &target) {
    const std::string name = o.encoders.empty() ? "libx264" : o.encoders.front();
    const Adapter *adapter = find_adapter(name);
    if (!adapter) throw usage_error("there is no adapter for the encoder '" + name + "'");
    const FastAnswer answer = smoke(o, *adapter, target.value);
    const std::string preset = o.presets.empty() ? kDefaultPreset : o.presets.front();
    write_document(o, document_of(answer, adapter->name, preset, target.value, true), answer);
    return answer.is_met ? kExitOk : kExitUnmet;
}

// With the measurements of the whole; `last` is that of the answer.
json verified_document(const FastAnswer &answer, const Verification &last, const ProbeSetup &setup, double target,
                       double refined) {
    json document = document_of(answer, setup.encode.adapter->name, setup.encode.preset, target, false);
    document["verify_vmaf"] = last.score;
    document["verify_kbps"] = last.kbps;
    document["proxy_verify_gap"] = last.gap();
    for (const Verification &v : answer.verified)
        document["verifications"].push_back({{"q", v.q},
                                             {"predicted_vmaf", v.predicted},
                                             {"error_bar", v.error_bar},
                                             {"verify_vmaf", v.score},
                                             {"verify_kbps", v.kbps}});
    document["proxy_clip"] = setup.clip_mode;
    document["proxy_subsample"] = setup.score.subsample;
    document["verified_on"] = answer.verified_on;
    document["refined_crf"] = refined;
    return document;
}

int run_fast(const FastRequest &given) {
    FastRequest o = given;
    const std::vector<QualityTarget> targets = quality_targets(o, o, std::nullopt);
    const QualityTarget &target = targets.front();
    if (targets.size() > 1) throw usage_error("fast takes one target; `vmaf-tune search` takes several");
    check_curve_metric("fast", target.metric);
    o.metric = target.metric;
    check_result(o, o.output);
    if (o.smoke) return run_smoke(o, target);
    if (o.sources.empty()) throw usage_error("give a source with -i");
    const bool has_own_samples =
        o.sample_clip_seconds > 0 || o.samples || !o.sample_at.empty() || o.sample_mode != SampleMode::uniform;
    if (!has_own_samples) o.sample_clip_seconds = kChunkSeconds;
    Run run(o, true);
    FastRun fast(run, o, target);
    const ProbeSetup &setup = fast.proxy();
    if (o.dry_run) {
        print_probe_commands(setup, fast.middle());
        return kExitOk;
    }
    FastAnswer answer = fast.find();
    fast.verify(answer);
    const Verification &last = *std::ranges::find(answer.verified, *answer.q, &Verification::q);
    const std::string &knob = setup.encode.adapter->knob;
    const double refined = fast.refined(answer);
    if (refined != *answer.q)
        answer.notes.push_back(knob + " " + number_text(refined) +
                               " should just meet the target on the whole (not measured)");
    const bool is_trusted = last.gap() <= o.proxy_tolerance;
    if (!is_trusted)
        answer.notes.push_back("the whole scores " + fixed_text(last.score, 2) + ", the proxy said " +
                               fixed_text(answer.score, 2) + ": more than --proxy-tolerance apart, use `search`");
    else if (last.score < target.value)
        answer.notes.push_back("the whole is " + fixed_text(target.value - last.score, 2) + " below the target");
    write_document(o, verified_document(answer, last, setup, target.value, refined), answer);
    run.progress().say(knob + " " + number_text(*answer.q) + " should give " + target.metric + " " +
                       fixed_text(answer.score, 2) + " ± " + fixed_text(answer.error_bar, 2) + "; " +
                       (answer.verified_on == "full" ? "the whole" : "the part a search measures") + " scores " +
                       fixed_text(last.score, 2) + " at " + fixed_text(last.kbps, 0) + " kbps (" +
                       std::to_string(answer.trials.size()) + " short probes, " +
                       std::to_string(answer.verified.size()) + (answer.verified.size() == 1 ? " encode" : " encodes") +
                       " of the whole)" + (is_trusted ? "." : ": unreliable."));
    run.progress().say(answer.scored);
    if (!is_trusted) return kExitUntrusted;
    return answer.is_met ? kExitOk : kExitUnmet;
}

void bind_fast(CLI::App &app, FastRequest &o) {
    bind_encoding_command(app, o, {.needs_source = false});
    bind_target(app, o);
    {
        const InGroup group(app, "Search");
        add_option(app, "--n-trials", o.trials, "maximum number of probes of the short piece")
            ->check(CLI::Range(1, 1000));
        add_option(app, "--time-budget-s", o.time_budget, "start no new probe after N seconds")
            ->check(CLI::PositiveNumber);
        add_option(app, "--proxy-tolerance", o.proxy_tolerance,
                   "exit with code 3 if piece and whole differ by more than this")
            ->check(CLI::NonNegativeNumber);
        app.add_flag("--verify-full", o.verify_whole, "verify on the whole source, however long it takes");
        app.add_flag("--smoke", o.smoke, "use a made-up curve and no encoder, to test scripts");
    }
    bind_older_flags(app, o);
}

} // namespace

void add_fast(Commands &commands) {
    commands.add<FastRequest>({"fast",
                               "quick search on a short piece, verified once",
                               {},
                               "  vmaf-tune fast -i film.mkv --target-vmaf 93\n"
                               "  vmaf-tune fast -i film.mkv --target-vmaf 93 --time-budget-s 60\n"
                               "  vmaf-tune fast -i film.mkv --target-vmaf 93 ||\n"
                               "      vmaf-tune search -i film.mkv --target-vmaf 93"},
                              bind_fast, run_fast);
}

} // namespace vmaf::tune
