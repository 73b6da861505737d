#include "commands/quality_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/lists.hpp"
#include "base/seconds.hpp"
#include "commands/search_hints.hpp"
#include "curves/score_curve.hpp"
#include "stages/conditions.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

double probe_score(const ProbeSetup &setup, const ProbeResult &probe, const std::string &metric,
                   const std::string &pool) {
    return aggregated(probe, metric, pool, setup.aggregate);
}

QualitySearch::QualitySearch(Run &run, const SearchOptions &options, const ProbeSetup &setup,
                             const std::vector<QualityTarget> &targets, double default_step)
    : run_(run), options_(options), setup_(setup), grid_(*setup.encode.adapter, options, default_step) {
    for (const QualityTarget &t : targets) { // every target's metric is measured
        const bool is_known =
            std::ranges::any_of(setup_.score.metrics, [&](const MetricChoice &m) { return m.name == t.metric; });
        if (!is_known) setup_.score.metrics.push_back(*metric_choice(t.metric));
    }
    if (!options.max_size.empty() && (max_bytes_ = parse_size(options.max_size)) <= 0)
        throw usage_error("--max-size " + options.max_size + ": must be greater than 0");
    run.progress().expect_searches_of(options.thorough ? 6 : 4);
    run.show_progress(setup_, setup_.encode.adapter->name + size_text() + " " + setup_.encode.adapter->knob);
}

double QualitySearch::score_of(const ProbeResult &probe, const QualityTarget &target) const {
    return probe_score(setup_, probe, target.metric, target.pool);
}

double QualitySearch::margin_of(const ProbeResult &probe, const std::vector<QualityTarget> &targets) const {
    const QualityTarget &t = least_met(probe, targets);
    return search_margin(t, score_of(probe, t));
}

const QualityTarget &QualitySearch::least_met(const ProbeResult &probe,
                                              const std::vector<QualityTarget> &targets) const {
    return *std::ranges::min_element(targets, {},
                                     [&](const QualityTarget &t) { return search_margin(t, score_of(probe, t)); });
}

namespace {

std::string miss_text(double margin) { return fixed_text(-margin, margin > -0.005 ? 4 : 2); } // never 0.00

} // namespace

std::string QualitySearch::missed_text(const ProbeResult &probe, const std::vector<QualityTarget> &targets) const {
    if (targets.size() == 1) {
        const double margin = margin_above(targets.front(), score_of(probe, targets.front()));
        return margin >= 0 ? "" : " (misses the target by " + miss_text(margin) + ")";
    }
    std::string text;
    for (const QualityTarget &t : targets)
        if (const double margin = margin_above(t, score_of(probe, t)); margin < 0)
            text += (text.empty() ? " (misses " : ", ") + t.metric + (t.pool == "mean" ? "" : ":" + t.pool) + " by " +
                    miss_text(margin);
    return text.empty() ? "" : text + ")";
}

std::string QualitySearch::scores_text(const ProbeResult &probe, const std::vector<QualityTarget> &targets) const {
    std::string text;
    for (const QualityTarget &t : targets)
        add_item(text, t.metric + (t.pool == "mean" ? "" : ":" + t.pool) + " " + fixed_text(score_of(probe, t), 4));
    return text;
}

std::string QualitySearch::size_text() const {
    const FrameSize &size = setup_.encode_size;
    return size.width > 0 ? " " + std::to_string(size.width) + "x" + std::to_string(size.height) : "";
}

bool QualitySearch::fits(const ProbeResult &probe) const {
    if (probe.samples.size() < setup_.samples.size()) return true; // reported by the probe that has all samples
    const Prediction whole = predict_whole(setup_, probe);
    return (!options_.max_bitrate || probe.bitrate_kbps() <= *options_.max_bitrate) &&
           (max_bytes_ <= 0 || whole.bytes <= max_bytes_) &&
           (!options_.max_encoded_percent || whole.percent <= *options_.max_encoded_percent);
}

SearchPoint QualitySearch::point(const ProbeResult &probe, const QualityTarget &target) const {
    return {probe.q, score_of(probe, target), probe.bitrate_kbps()};
}

void QualitySearch::tell(const ProbeResult &probe, const std::vector<QualityTarget> &targets) {
    const SearchPoint p = point(probe, targets.front());
    const Adapter &adapter = *setup_.encode.adapter;
    run_.progress().probe_done(setup_.source.path,
                               {{"q", p.q},
                                {"score", p.score},
                                {"bitrate_kbps", p.bitrate_kbps},
                                {"passes", margin_of(probe, targets) >= 0 && fits(probe)},
                                {"from_cache", probe.from_cache}},
                               adapter.name + size_text() + " " + adapter.knob + " " + number_text(p.q) + ": " +
                                   scores_text(probe, targets) + ", " + fixed_text(p.bitrate_kbps, 1) + " kbps" +
                                   missed_text(probe, targets) + (probe.from_cache ? " [cached]" : ""));
}

// A probe of all samples or some; never twice.
const ProbeResult &QualitySearch::measure(int k, const Samples &focus) {
    for (const Samples &samples : {Samples{}, focus})
        if (const auto found = known_.find({k, samples}); found != known_.end()) return probes_[found->second];
    run_.check_interrupted();
    ProbeSetup some = setup_;
    if (!focus.empty()) {
        some.samples.clear();
        for (const std::size_t i : focus) some.samples.push_back(setup_.samples[i]);
    }
    ProbeResult probe = run_probe(some, grid_.q(k));
    if (!probe.ok()) run_.check_interrupted();
    for (const std::string &warning : probe.warnings) run_.progress().warn(warning);
    is_backend_lost_ |= probe.ok() && !probes_.empty() && probe.backend != probes_.front().backend;
    known_[{k, focus}] = probes_.size();
    probes_.push_back(std::move(probe));
    if (on_probe && !is_backend_lost_) on_probe(probes_.back());
    return probes_.back();
}

SearchSettings QualitySearch::settings(const std::vector<QualityTarget> &targets) const {
    const MetricChoice metric = *metric_choice(targets.front().metric);
    const bool is_single = targets.size() == 1 && !metric.lower_is_better;
    SearchSettings s;
    s.last = grid_.last();
    s.target = is_single ? search_score(metric.name, targets.front().value)
                         : 0; // several targets: the smallest margin must not be negative
    s.bounded_by_100 = is_single && metric.bounded_by_100;
    s.tolerance = options_.thorough ? 0 : options_.tolerance.value_or(grid_.step() < 1 ? 0.1 : 0);
    s.noise = options_.noise;
    s.max_iterations = options_.max_iterations;
    s.coarse_step = grid_.points_in(options_.coarse_step);
    s.coarse_first = grid_.first_multiple(options_.coarse_step);
    s.fine_step = grid_.points_in(options_.fine_step);
    s.q_step = grid_.step();
    if (s.bounded_by_100 && targets.front().metric.starts_with("vmaf"))
        s.slope = -std::fabs(typical_slope(*setup_.encode.adapter)) * grid_.step();
    const QualityRange &window = setup_.encode.adapter->search;
    s.default_last = static_cast<int>(std::floor((window.high - window.low) / grid_.step() + 1e-9));
    return s;
}

SearchReport QualitySearch::find(const std::vector<QualityTarget> &targets, std::optional<double> hint) {
    for (;;) {
        SearchReport report = find_once(targets, hint);
        if (!is_backend_lost_) return report;
        known_.clear(); // never mixes scores in one search: it restarts on the other backend (7.6)
        probes_.clear();
        is_backend_lost_ = false;
    }
}

SearchReport QualitySearch::find_once(const std::vector<QualityTarget> &targets, std::optional<double> hint) {
    const QualityTarget &first = targets.front();
    const auto started = std::chrono::steady_clock::now();
    SearchSettings wish = settings(targets);
    const bool is_single = targets.size() == 1 && !metric_choice(first.metric)->lower_is_better;
    SearchHints hints(run_.cache(), setup_, options_, targets);
    const double start_q = options_.start_q ? *options_.start_q : hints.start(hint);
    wish.start = grid_.nearest(start_q);

    SearchReport report;
    report.target = first.value;
    const auto measured = [&](const ProbeResult &probe) {
        return Measurement{is_single ? search_score(first.metric, score_of(probe, first)) : margin_of(probe, targets),
                           fits(probe)};
    };
    // With `worst`, probes only the lowest samples until there is an answer; then all of them confirm it (8.4).
    const bool by_worst = setup_.aggregate == SampleAggregate::worst && setup_.samples.size() > 1;
    Samples focus;
    SearchAnswer answer;
    for (;;) {
        const auto search = make_search(options_.search, wish);
        const auto add = [&](int k, const Samples &samples) {
            const std::size_t before = probes_.size();
            const ProbeResult &probe = measure(k, samples);
            report.outcome = probe.outcome;
            report.reason = probe.outcome.sentence;
            if (report.failed() || is_backend_lost_) return false;
            search->add(k, measured(probe));
            if (probes_.size() > before) tell(probe, targets);
            return true;
        };
        const bool is_led = options_.search == SearchMethod::interp && is_single;
        if (is_led)
            for (const auto &[q, score] : known_scores)
                search->add(grid_.nearest(q), {search_score(first.metric, score), true});
        std::optional<int> k;
        while (!report.failed() && !is_backend_lost_ && (k = search->next()))
            if (add(*k, focus) && by_worst && focus.empty())
                focus = {worst_sample(measure(*k, {}), first.metric, first.pool)};
        if (report.failed() || is_backend_lost_) break;
        answer = search->answer();
        const std::optional<int> chosen = answer.k ? answer.k : answer.best_passing;
        if (is_led && chosen && !known_.contains({*chosen, {}}) && !by_worst) { // known from earlier: now with its size
            if (add(*chosen, {})) answer = search->answer();
            break;
        }
        if (!by_worst || !chosen || !add(*chosen, {})) break;
        const std::size_t lowest = worst_sample(measure(*chosen, {}), first.metric, first.pool);
        answer = search->answer();
        if (contains(focus, lowest)) break;
        focus.push_back(lowest); // another sample is lower there: continue with it
        wish.start = *chosen;
    }
    report.probes = probes_;
    report.elapsed = seconds_since(started);
    if (report.failed() || is_backend_lost_) return report;
    hints.remember(start_q, probes_);
    describe(report, answer, targets);
    if (options_.verify_full && report.ok() && !is_backend_lost_ && setup_.clip_mode != "full")
        verify_whole(report, targets);
    report.elapsed = seconds_since(started);
    return report;
}

void QualitySearch::fill(SearchReport &report, const ProbeSetup &setup, const ProbeResult &probe,
                         const std::vector<QualityTarget> &targets) const {
    report.q = probe.q;
    report.score = score_of(probe, targets.front());
    const QualityTarget &least = least_met(probe, targets);
    report.margin = margin_above(least, score_of(probe, least));
    report.further_scores.clear();
    for (std::size_t i = 1; i < targets.size(); i++) report.further_scores.push_back(score_of(probe, targets[i]));
    report.bitrate_kbps = probe.bitrate_kbps();
    report.prediction = predict_whole(setup, probe);
    report.encode_seconds = probe.encode_seconds;
    report.encode_fps = probe.encode_seconds > 0 ? double(probe.encoded_frames) / probe.encode_seconds : 0;
    report.encoder_version = probe.encoder_version;
    report.scored = conditions_line(setup, probe);
    report.conditions = conditions_json(setup, probe).dump();
}

void QualitySearch::describe(SearchReport &report, const SearchAnswer &answer,
                             const std::vector<QualityTarget> &targets) {
    const std::string &knob = setup_.encode.adapter->knob;
    const QualityTarget &first = targets.front();
    report.status = answer.status;
    report.at_bound = answer.at_bound;
    report.plateau = answer.plateau;
    report.non_monotone = answer.non_monotone;
    if (answer.non_monotone)
        run_.progress().warn("quality does not fall steadily with " + knob +
                             " on this content; the answer holds for what was measured");
    const std::optional<int> chosen = answer.k ? answer.k : answer.best_passing;
    if (!chosen) return;
    const ProbeResult probe = measure(*chosen, {});
    fill(report, setup_, probe, targets);
    if (answer.status == SearchStatus::unmet) { // of several targets, the one missed by most
        const QualityTarget &missed = least_met(probe, targets);
        report.reason = "the best allowed " + knob + " " + number_text(probe.q) + " reaches " + missed.metric +
                        (missed.pool == "mean" ? "" : " (" + missed.pool + ")") + " " +
                        fixed_text(score_of(probe, missed), 4) +
                        (metric_choice(missed.metric)->lower_is_better ? ", above" : ", below") + " the target of " +
                        number_text(missed.value);
    }
    if (answer.status != SearchStatus::no_solution) return;
    report.best_passing = point(probe, first);
    report.reason = knob + " " + number_text(probe.q) + " meets the target but is too large (" +
                    number_text(std::round(report.bitrate_kbps)) + " kbps)";
    if (!answer.best_fitting) return;
    report.best_fitting = point(measure(*answer.best_fitting, {}), first);
    report.reason += "; " + knob + " " + number_text(report.best_fitting->q) + " fits but reaches only " +
                     fixed_text(report.best_fitting->score, 4);
}

// Encodes and scores everything; on a miss moves by a whole unit of the knob, at most twice (8.5).
void QualitySearch::verify_whole(SearchReport &report, const std::vector<QualityTarget> &targets) {
    constexpr int kMostEncodes = 3;
    ProbeSetup whole = setup_;
    whole.samples = {{setup_.source, Window{}, 0, setup_.source.duration}};
    whole.clip_mode = "full";
    int k = grid_.nearest(*report.q);
    for (int i = 0; i < kMostEncodes; i++) {
        run_.check_interrupted();
        const ProbeResult probe = run_probe(whole, grid_.q(k));
        if (!probe.ok()) {
            run_.check_interrupted();
            report.outcome = probe.outcome;
            report.outcome.sentence = report.reason = "the encode of the whole failed: " + probe.outcome.sentence;
            return;
        }
        fill(report, whole, probe, targets);
        report.verified.push_back(point(probe, targets.front()));
        run_.progress().say("the whole at " + setup_.encode.adapter->knob + " " + number_text(probe.q) + ": " +
                            targets.front().metric + " " + fixed_text(report.score, 4) + ", " +
                            fixed_text(report.bitrate_kbps, 1) + " kbps");
        if (margin_of(probe, targets) >= -options_.verify_margin) return;
        if (k == 0) break;
        k = std::max(0, k - grid_.points_in(1));
    }
    report.status = SearchStatus::unmet;
    report.reason = "the whole source reaches only " + fixed_text(report.score, 4) + " at " +
                    setup_.encode.adapter->knob + " " + number_text(*report.q) +
                    ": the samples are easier than the rest; use more of them (--samples), or --sample-mode scenes";
}

} // namespace vmaf::tune
