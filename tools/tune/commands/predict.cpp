#include "commands/predict.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/add_option.hpp"
#include "cli/arguments.hpp"
#include "commands/commands.hpp"
#include "commands/search_result.hpp"
#include "commands/shot_plan.hpp"
#include "curves/score_curve.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

constexpr std::int64_t kMostProbeFrames = 240;
constexpr unsigned kProbeSubsampling = 3; // odd: every position in groups of 2, 4 or 8 pictures is scored
constexpr std::int64_t kFewFrames = 96;   // with at most this many, none is skipped
constexpr std::size_t kMostProbes = 4;    // per shot

struct PredictedShot {
    Shot shot;
    std::vector<QualityPoint> probes; // one, plus others at the prediction if that is far from them
    double kbps = 0;                  // of the first
    double q = 0, score = 0;
    std::optional<double> measured;
};

class ShotPrediction {
  public:
    ShotPrediction(Run &run, const PredictRequest &o, const QualityTarget &target)
        : run_(run), options_(o), target_(target), metric_(*metric_choice(target.metric)),
          source_(run.open_source(o.sources.at(0))), adapter_(run.only_adapter()),
          whole_(run.setup(source_, adapter_, run.only_preset(), false)), grid_(adapter_, o, adapter_.step),
          slope_(typical_slope(adapter_)) {
        run.show_progress(whole_, adapter_.name + " " + adapter_.knob);
    }

    const ProbeSetup &setup() const { return whole_; }

    std::vector<Shot> find_shots() {
        std::vector<Shot> shots;
        try {
            if (!options_.shots.empty())
                shots = read_shots(options_.shots);
            else
                for (const ShotFeatures &f : run_.shots().features(source_)) shots.push_back(f.shot);
        } catch (const Error &e) {
            throw usage_error(e.what());
        }
        return shots;
    }

    // Uses at most about ten seconds of the shot, with the requested preset; another preset's offset would be the
    // largest error. Slopes differ between contents: far from the target one probe predicts badly, and a second one at
    // the predicted value reveals this content's slope.
    void probe(PredictedShot &s) {
        Shot piece = s.shot;
        piece.end = std::min(piece.end, piece.start + kMostProbeFrames);
        ProbeSetup setup = shot_setup(whole_, piece, times());
        if (options_.subsample <= 1 && piece.frames() >= kFewFrames) setup.score.subsample = kProbeSubsampling;
        const auto add = [&](double q) {
            const ProbeResult result = run_.probe(setup, q);
            s.probes.push_back({q, probe_score(setup, result, target_.metric, target_.pool)});
            if (s.probes.size() == 1) s.kbps = result.bitrate_kbps();
        };
        add(grid_.q(grid_.nearest(adapter_.probe_q > 0 ? adapter_.probe_q : adapter_.default_q)));
        const bool bounded = metric_.bounded_by_100;
        const auto is_near = [&](const QualityPoint &p) {
            return p.q == s.q || std::fabs(straightened(p.score, bounded) - straightened(target_.value, bounded)) <=
                                     (bounded ? kNearBounded : kNearOther);
        };
        for (predict(s, 0); s.probes.size() < kMostProbes; predict(s, 0)) {
            if (std::ranges::any_of(s.probes, is_near)) break;
            add(s.q);
        }
    }

    // From its probes and measurements. A piece's probe is less informative than the whole shot at the same value.
    void predict(PredictedShot &s, double bias) const {
        std::vector<QualityPoint> points = s.probes;
        if (s.measured) {
            std::erase_if(points, [&](const QualityPoint &p) { return p.q == s.q; });
            points.push_back({s.q, *s.measured});
        }
        const ScoreCurve curve(points, metric_.bounded_by_100, slope_);
        int k = grid_.last();
        while (k > 0 && curve.score_at(grid_.q(k)) + bias < target_.value) k--;
        s.q = grid_.q(k);
        s.score = std::min(curve.score_at(s.q) + bias, metric_.bounded_by_100 ? 100.0 : 1e9);
    }

    double measured_score(const Shot &shot, double q) {
        const ProbeSetup setup = shot_setup(whole_, shot, times());
        return probe_score(setup, run_.probe(setup, q), target_.metric, target_.pool);
    }

    // From shots with two points: how fast this title's scores fall.
    void learn_slope(const std::vector<PredictedShot> &shots) {
        double sum = 0, weight = 0;
        for (const PredictedShot &s : shots) {
            std::vector<QualityPoint> others(s.probes.begin() + 1, s.probes.end());
            if (s.measured) others = {{s.q, *s.measured}};
            const QualityPoint &first = s.probes.front();
            for (const QualityPoint &p : others) {
                const double run = p.q - first.q;
                if (std::fabs(run) < 1) continue;
                sum += run * (straightened(p.score, metric_.bounded_by_100) -
                              straightened(first.score, metric_.bounded_by_100));
                weight += run * run;
            }
        }
        if (weight > 0 && (sum / weight < 0) == (slope_ < 0)) slope_ = sum / weight;
    }

    // The mean of the remaining residuals with that slope.
    double common_error(const std::vector<PredictedShot> &shots) const {
        double sum = 0;
        int count = 0;
        for (const PredictedShot &s : shots)
            if (s.measured) {
                sum += *s.measured - ScoreCurve(s.probes, metric_.bounded_by_100, slope_).score_at(s.q);
                count++;
            }
        return count ? sum / count : 0;
    }

  private:
    static constexpr double kNearBounded = 0.35, kNearOther = 0.4; // of straightened scores: less than a CRF step

    const std::vector<double> &times() {
        if (!times_) times_ = frame_times(run_.programs().ffprobe, source_);
        return *times_;
    }

    Run &run_;
    const PredictRequest &options_;
    QualityTarget target_;
    MetricChoice metric_;
    Source source_;
    const Adapter &adapter_;
    ProbeSetup whole_;
    QualityGrid grid_;
    double slope_;
    std::optional<std::vector<double>> times_;
};

json shot_json(const PredictedShot &s) {
    return {{"start", s.shot.start}, {"end", s.shot.end}, {"crf", s.q}, {"predicted_vmaf", s.score}};
}

std::string summary_of(const std::vector<PredictedShot> &predicted, const Adapter &adapter, const QualityTarget &target,
                       const Judgement &judgement, std::size_t measured, const Calibration &calibration, double alpha) {
    const auto [low, high] = std::ranges::minmax_element(
        predicted, [](const PredictedShot &a, const PredictedShot &b) { return a.q < b.q; });
    return adapter.knob + " " + number_text(low->q) +
           (high->q > low->q ? " to " + number_text(high->q) + " should give each shot " : " should give ") +
           target.metric + " " + number_text(target.value) + ". " + std::to_string(predicted.size()) +
           (predicted.size() == 1 ? " shot" : " shots") + ", " + std::to_string(measured) +
           " of them measured: predictions were off by " + fixed_text(judgement.max_abs, 2) + " at most (" +
           verdict_word(judgement.verdict) + ")" +
           (calibration.is_known()
                ? "; elsewhere they were within ± " + fixed_text(calibration.half_width(alpha), 2) + " in " +
                      fixed_text(100 * (1 - alpha), 0) + " % of cases"
                : "; there is no calibration for " + adapter.name + ", so errors elsewhere are unknown") +
           (judgement.verdict == PredictionVerdict::fall_back ? "; use `vmaf-tune per-shot` or `search`" : "");
}

// The request with defaults applied. Throws CommandError.
PredictRequest checked(const PredictRequest &given) {
    PredictRequest o = given;
    if (!o.predictor_file.empty())
        throw usage_error("--model " + o.predictor_file +
                          ": this build has no runtime for learned predictors; leave it out, or use --from-corpus");
    check_result(o, o.report_out.empty() ? o.output : o.report_out);
    check_result(o, o.calibration_out);
    if (!o.from_corpus.empty()) return o;
    if (o.sources.empty()) throw usage_error("give a source with -i, or rows with --from-corpus");
    const std::vector<QualityTarget> targets = quality_targets(o, o, 93);
    if (targets.size() > 1) throw usage_error("predict takes one target; `vmaf-tune search` takes several");
    o.metric = targets.front().metric;
    check_curve_metric("predict", o.metric);
    return o;
}

// Probes every shot, then encodes and scores some completely.
class PredictJob : public Job {
  public:
    explicit PredictJob(const PredictRequest &o)
        : Job(checked(o)), o_(checked(o)), target_(quality_targets(o_, o_, 93).front()), prediction_(run_, o_, target_),
          adapter_(*prediction_.setup().encode.adapter),
          calibration_(o_.calibration.empty() ? built_in_calibration(adapter_) : read_calibration(o_.calibration)) {}

    void print_commands() override { print_probe_commands(prediction_.setup(), adapter_.probe_q); }

    std::vector<json> next(const JobRows &so_far) override {
        std::vector<json> units;
        if (so_far.empty()) {
            for (const Shot &shot : prediction_.find_shots())
                units.push_back({{"step", "probe"}, {"start", shot.start}, {"end", shot.end}});
        } else if (so_far.back().unit().at("step") == "probe") {
            const std::vector<PredictedShot> shots = predicted(so_far);
            std::vector<double> bitrates;
            for (const PredictedShot &s : shots) bitrates.push_back(s.kbps);
            for (const std::size_t i : chosen_for_validation(bitrates, static_cast<std::size_t>(o_.validate)))
                units.push_back({{"step", "check"},
                                 {"number", i},
                                 {"start", shots[i].shot.start},
                                 {"end", shots[i].shot.end},
                                 {"q", shots[i].q}});
        }
        return units;
    }

    std::vector<json> run(const json &unit, const JobRows &) override {
        PredictedShot s;
        s.shot = {unit.at("start"), unit.at("end")};
        if (unit.at("step") == "check") return {{{"measured", prediction_.measured_score(s.shot, unit.at("q"))}}};
        prediction_.probe(s);
        json row = {{"kbps", s.kbps}, {"probes", json::array()}};
        for (const QualityPoint &p : s.probes) row["probes"].push_back({{"q", p.q}, {"score", p.score}});
        return {row};
    }

    Answer result(const JobRows &rows) override {
        std::vector<PredictedShot> shots = predicted(rows);
        std::vector<double> residuals;
        json listed = json::array(), described = json::array();
        for (const UnitRows *unit : of_step(rows, "check")) {
            const PredictedShot &s = shots.at(unit->unit().at("number"));
            residuals.push_back(*s.measured - s.score);
            listed.push_back(with_interval({{"shot_start", s.shot.start},
                                            {"shot_end", s.shot.end},
                                            {"crf", s.q},
                                            {"predicted_vmaf", s.score},
                                            {"measured_vmaf", *s.measured},
                                            {"residual", residuals.back()}},
                                           s.score));
        }
        const Judgement judgement = judge(residuals, o_.residual_threshold);
        // All shots learn from the measured ones; their remaining common error is subtracted from the others.
        prediction_.learn_slope(shots);
        const double bias = judgement.verdict == PredictionVerdict::recalibrate ? prediction_.common_error(shots) : 0;
        std::size_t probes = 0;
        for (PredictedShot &s : shots) {
            probes += s.probes.size();
            prediction_.predict(s, s.measured ? 0 : bias);
            described.push_back(with_interval(shot_json(s), s.score));
            described.back()["validated"] = s.measured.has_value();
        }
        json document = prediction_json(o_, judgement, target_.value, residuals.size(), calibration_);
        document["encoder"] = adapter_.name;
        document["preset"] = prediction_.setup().encode.preset;
        document["n_probes"] = probes;
        document["residuals"] = listed;
        document["shots"] = described;
        if (!o_.calibration_out.empty() && !residuals.empty())
            write_result(o_, o_.calibration_out, calibration_json(residuals, o_.alpha).dump(2) + "\n");
        Answer answer;
        answer.text = deliver(o_, o_.report_out.empty() ? o_.output : o_.report_out, json_document(document));
        answer.exit_code = shots.empty()                                       ? kExitUnmet
                           : judgement.verdict == PredictionVerdict::fall_back ? kExitUntrusted
                                                                               : kExitOk;
        answer.say(shots.empty()
                       ? "vmaf-tune predict: no shots were found"
                       : summary_of(shots, adapter_, target_, judgement, residuals.size(), calibration_, o_.alpha));
        return answer;
    }

  private:
    // The probes' predictions before correction, with measurements.
    std::vector<PredictedShot> predicted(const JobRows &rows) const {
        std::vector<PredictedShot> shots;
        for (const UnitRows *unit : of_step(rows, "probe")) {
            const json &row = unit->rows.at(0);
            PredictedShot &s = shots.emplace_back();
            s.shot = {unit->unit().at("start"), unit->unit().at("end")};
            s.kbps = row.at("kbps");
            for (const json &p : row.at("probes")) s.probes.push_back({p.at("q"), p.at("score")});
            prediction_.predict(s, 0);
        }
        for (const UnitRows *unit : of_step(rows, "check"))
            shots.at(unit->unit().at("number")).measured = unit->rows.at(0).at("measured");
        return shots;
    }

    json with_interval(json entry, double score) const {
        if (o_.with_uncertainty) entry["interval"] = interval_json(score, calibration_.half_width(o_.alpha), o_.alpha);
        return entry;
    }

    const PredictRequest o_;
    const QualityTarget target_;
    ShotPrediction prediction_;
    const Adapter &adapter_;
    const Calibration calibration_;
};

std::optional<int> answer_from_corpus(const PredictRequest &o) {
    return o.from_corpus.empty() ? std::nullopt : std::optional(predict_from_corpus(checked(o)));
}

void bind_predict(CLI::App &app, PredictRequest &o) {
    bind_encoding_command(app, o, {.needs_source = false, .samples = false, .model_alias = false});
    bind_target(app, o);
    {
        const InGroup group(app, "Prediction");
        add_option(app, "--validate-k", o.validate, "number of shots to encode and score for real")
            ->check(CLI::Range(1, 100000));
        add_option(app, "--residual-threshold", o.residual_threshold,
                   "count a prediction that is off by more as a miss")
            ->check(CLI::PositiveNumber);
        add_option(app, "--alpha", o.alpha, "part of cases that an interval may miss")->check(CLI::Range(0.001, 0.999));
        add_option(app, "--model", o.predictor_file, "learned predictor; not in this build");
        add_option(app, "--shots", o.shots, "read shots from this file (JSON or CSV)");
        add_option(app, "--report-out", o.report_out, "the prediction as JSON; the same as --output");
        add_option(app, "--calibration-sidecar", o.calibration,
                   "residuals of predictions that were checked, for intervals");
        add_option(app, "--calibration-out", o.calibration_out, "write this run's residuals as such a file");
        add_option(app, "--from-corpus", o.from_corpus, "fit a curve to each title's rows instead of encoding");
        app.add_flag("--allow-mixed-models", o.allow_mixed_models,
                     "with --from-corpus: accept different models or scoring conditions, each apart");
        app.add_flag("--with-uncertainty", o.with_uncertainty, "add an interval to every prediction");
    }
    bind_older_flags(app, o);
    bind_cluster(app, o);
}

} // namespace

CommandFiles files_of(const PredictRequest &o) {
    CommandFiles files = files_of(static_cast<const ProbeRequest &>(o));
    files.inputs.insert(files.inputs.end(),
                        {{"the rows", o.from_corpus}, {"the shots", o.shots}, {"the calibration", o.calibration}});
    files.outputs.insert(files.outputs.end(), {o.report_out, o.calibration_out});
    return files;
}

void add_predict(Commands &commands) {
    commands.add_job<PredictJob, PredictRequest>(
        {"predict",
         "the quality value that would meet a target, per shot or from rows",
         {},
         "  vmaf-tune predict -i film.mkv --target-vmaf 93 --with-uncertainty\n"
         "  vmaf-tune predict -i film.mkv --target-vmaf 93 --validate-k 3\n"
         "  vmaf-tune predict --from-corpus corpus.jsonl --target-vmaf 93"},
        bind_predict, answer_from_corpus);
}

} // namespace vmaf::tune
