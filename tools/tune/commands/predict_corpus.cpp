// Predictions from existing rows: a curve per title, checked on points and titles left out of the fit.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/lists.hpp"
#include "commands/corpus_answers.hpp"
#include "commands/predict.hpp"
#include "commands/search_result.hpp"
#include "curves/score_curve.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

// Rows of one source and configuration.
struct Title {
    const ScannedRow *first = nullptr;
    std::vector<QualityPoint> points;
    std::vector<CorpusPoint> rates;
    const Adapter *adapter = nullptr;
    double slope = 0; // of other titles
    std::optional<double> own_slope;
    // The curve's error at the point closest to the target, when fitted without it.
    std::optional<double> residual;
    double held_out_q = 0, held_out_score = 0;
};

// Least squares of straightened scores over q.
std::optional<double> slope_of(const std::vector<QualityPoint> &points, bool bounded) {
    double q = 0, g = 0;
    for (const QualityPoint &p : points) {
        q += p.q / double(points.size());
        g += straightened(p.score, bounded) / double(points.size());
    }
    double up = 0, down = 0;
    for (const QualityPoint &p : points) {
        up += (p.q - q) * (straightened(p.score, bounded) - g);
        down += (p.q - q) * (p.q - q);
    }
    return down > 0 ? std::optional(up / down) : std::nullopt;
}

void hold_out(Title &title, const QualityTarget &target, bool bounded) {
    if (title.points.size() < 2) return;
    const auto nearest = std::ranges::min_element(title.points, [&](const QualityPoint &a, const QualityPoint &b) {
        return std::fabs(a.score - target.value) < std::fabs(b.score - target.value);
    });
    std::vector<QualityPoint> others = title.points;
    others.erase(others.begin() + (nearest - title.points.begin()));
    title.held_out_q = nearest->q;
    title.held_out_score = ScoreCurve(others, bounded, title.slope).score_at(nearest->q);
    title.residual = nearest->score - title.held_out_score;
}

double rate_at(const Title &title, double q) { // from the closest two rows, linear in the logarithm
    std::vector<CorpusPoint> rows = title.rates;
    std::ranges::sort(
        rows, [&](const CorpusPoint &a, const CorpusPoint &b) { return std::fabs(a.q - q) < std::fabs(b.q - q); });
    for (std::size_t i = 1; i < rows.size(); i++)
        if (rows[i].q != rows[0].q && rows[i].kbps > 0 && rows[0].kbps > 0)
            return rows[0].kbps * std::pow(rows[i].kbps / rows[0].kbps, (q - rows[0].q) / (rows[i].q - rows[0].q));
    return rows.front().kbps;
}

using Key = std::tuple<std::string_view, std::string_view, std::string_view, decltype(ScannedRow().variant()),
                       std::string_view>;
using Titles = std::map<Key, Title>;

void find_slopes(Titles &titles, const QualityTarget &target, bool is_bounded) {
    for (auto &[key, title] : titles) title.own_slope = slope_of(title.points, is_bounded);
    for (auto &[key, title] : titles) { // the slopes of other titles with this encoder and preset
        double sum = 0;
        int count = 0;
        for (const auto &[other, t] : titles)
            if (std::get<0>(other) != std::get<0>(key) && std::get<1>(other) == std::get<1>(key) &&
                std::get<2>(other) == std::get<2>(key) && t.own_slope) {
                sum += *t.own_slope;
                count++;
            }
        title.slope = count           ? sum / count
                      : title.adapter ? typical_slope(*title.adapter)
                                      : title.own_slope.value_or(-0.4);
        hold_out(title, target, is_bounded);
    }
}

json answer_of(const Title &title, const PredictRequest &o, const QualityTarget &target, bool is_bounded,
               double half_width) {
    const QualityRange window = title.adapter ? title.adapter->search : QualityRange{0, 63};
    const ScoreCurve curve(title.points, is_bounded, title.slope);
    const auto exact = curve.q_at(target.value, window.low, window.high);
    const bool higher = title.adapter && title.adapter->higher_is_better;
    const double step = title.adapter ? title.adapter->step : 1;
    json answer = {{"src", title.first->src},       {"encoder", title.first->encoder},
                   {"preset", title.first->preset}, {"options", shell_quoted(options_of(*title.first))},
                   {"rows", title.points.size()},   {"crf", nullptr},
                   {"predicted_vmaf", nullptr},     {"predicted_kbps", nullptr}};
    if (exact) { // towards better quality
        const double q = (higher ? std::ceil(*exact / step - 1e-9) : std::floor(*exact / step + 1e-9)) * step;
        const double rounded = std::round(q * 1e6) / 1e6, score = curve.score_at(rounded);
        answer["crf"] = rounded;
        answer["predicted_vmaf"] = score;
        answer["predicted_kbps"] = rate_at(title, rounded);
        const bool is_beyond = rounded < curve.points().front().q || rounded > curve.points().back().q;
        answer["extrapolated"] = is_beyond;
        if (o.with_uncertainty) answer["interval"] = interval_json(score, half_width, o.alpha);
    }
    return answer;
}

} // namespace

int predict_from_corpus(const PredictRequest &o) {
    const std::vector<QualityTarget> targets = quality_targets(o, o, 93);
    const QualityTarget &target = targets.front();
    const MetricChoice metric = *metric_choice(target.metric);
    if (targets.size() > 1) throw usage_error("predict takes one target");
    check_curve_metric("predict", target.metric);
    const CorpusRows rows(o, o.strict, {target}, [&](const ScannedRow &row) {
        return is_wanted(o.encoders, row.encoder) && is_wanted(o.presets, row.preset) && is_wanted(o.sources, row.src);
    });
    Titles titles;
    for (const auto &[row, point, conditions] : rows.entries()) {
        Title &title = titles[{row->src, row->encoder, row->preset, row->variant(), conditions}];
        if (!title.first) title.first = row;
        title.adapter = find_adapter(row->encoder);
        title.points.push_back({point.q, point.score});
        title.rates.push_back(point);
    }
    if (titles.empty()) throw CommandError(kExitUnmet, "'" + o.from_corpus + "' has no rows with such a score");
    find_slopes(titles, target, metric.bounded_by_100);
    Calibration sidecar;
    if (!o.calibration.empty()) sidecar = read_calibration(o.calibration);
    // A title's interval comes from the other titles.
    const auto calibration_for = [&](const Title *title) {
        Calibration c = sidecar;
        if (!c.is_known())
            for (const auto &[key, t] : titles)
                if (t.residual && (!title || t.first->src != title->first->src)) c.residuals.push_back(*t.residual);
        if (c.origin.empty() && c.is_known()) c.origin = "other titles";
        return c;
    };
    std::vector<double> residuals;
    json listed = json::array(), answers = json::array();
    for (const auto &[key, title] : titles) {
        const double half_width = calibration_for(&title).half_width(o.alpha);
        if (title.residual) {
            residuals.push_back(*title.residual);
            listed.push_back({{"src", title.first->src},
                              {"crf", title.held_out_q},
                              {"predicted_vmaf", title.held_out_score},
                              {"measured_vmaf", title.held_out_score + *title.residual},
                              {"residual", *title.residual}});
        }
        answers.push_back(answer_of(title, o, target, metric.bounded_by_100, half_width));
    }
    const Judgement judgement = judge(residuals, o.residual_threshold);
    json document = prediction_json(o, judgement, target.value, residuals.size(), calibration_for(nullptr));
    document["residuals"] = listed;
    document["titles"] = answers;
    if (!o.calibration_out.empty() && !residuals.empty())
        write_result(o, o.calibration_out, calibration_json(residuals, o.alpha).dump(2) + "\n");
    write_prediction(o, document);
    return judgement.verdict == PredictionVerdict::fall_back ? kExitUntrusted : kExitOk;
}

} // namespace vmaf::tune
