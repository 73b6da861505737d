// How far predictions may be trusted: a verdict on the validated ones, and intervals from residuals.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>

#include "adapters/adapter.hpp"
#include "commands/predict.hpp"
#include "commands/search_result.hpp"
#include "curves/score_curve.hpp"
#include "system/filesystem.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;

const char *verdict_word(PredictionVerdict verdict) {
    switch (verdict) {
    case PredictionVerdict::reliable: return "reliable";
    case PredictionVerdict::recalibrate: return "recalibrate";
    default: return "fall_back";
    }
}

Judgement judge(const std::vector<double> &residuals, double threshold) {
    Judgement j;
    if (residuals.empty()) return j;
    const auto [low, high] = std::ranges::minmax_element(residuals);
    j.max_abs = std::max(std::fabs(*low), std::fabs(*high));
    j.mean = std::accumulate(residuals.begin(), residuals.end(), 0.0) / double(residuals.size());
    if (j.max_abs <= threshold) {
        j.verdict = PredictionVerdict::reliable;
    } else if (*high - *low <= 2 * threshold && std::fabs(j.mean) > threshold) {
        j.verdict = PredictionVerdict::recalibrate;
        j.bias = j.mean;
    }
    return j;
}

std::vector<std::size_t> chosen_for_validation(const std::vector<double> &bitrates, std::size_t k) {
    std::vector<std::size_t> order(bitrates.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    if (order.size() <= k) return order;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return bitrates[a] < bitrates[b]; });
    std::vector<std::size_t> chosen;
    const auto take = [&](std::size_t begin, std::size_t end, std::size_t count) { // evenly spaced
        count = std::min(count, end - begin);
        for (std::size_t i = 0; i < count; i++) chosen.push_back(order[begin + i * (end - begin) / count]);
    };
    const std::size_t quarter = order.size() / 4;
    for (std::size_t i = 0; i < 3; i++) take(i * quarter, (i + 1) * quarter, k / 4);
    take(3 * quarter, order.size(), k - chosen.size());
    std::ranges::sort(chosen);
    return chosen;
}

double Calibration::half_width(double alpha) const { return conformal_half_width(residuals, alpha).value_or(0); }

Calibration read_calibration(const std::string &path) {
    system::fs::ifstream file(path);
    const json document = json_of(std::string(std::istreambuf_iterator<char>(file), {}));
    const auto residuals = document.is_object() ? document.find("residuals") : document.end();
    if (!document.is_object() || document.value("method", json("split-conformal")) != "split-conformal" ||
        residuals == document.end() || !residuals->is_array() || residuals->empty())
        throw usage_error("--calibration-sidecar " + path +
                          " is not a calibration: {\"method\":\"split-conformal\",\"residuals\":[...]} is needed");
    Calibration calibration;
    for (const json &value : *residuals)
        if (value.is_number() && std::isfinite(value.get<double>()))
            calibration.residuals.push_back(value.get<double>());
    if (calibration.residuals.empty()) throw usage_error("--calibration-sidecar " + path + " has no residuals");
    calibration.origin = "sidecar";
    return calibration;
}

json calibration_json(const std::vector<double> &residuals, double alpha) {
    return {{"method", "split-conformal"}, {"alpha", alpha}, {"n", residuals.size()}, {"residuals", residuals}};
}

json interval_json(double score, double half_width, double alpha) {
    return {{"low", std::max(0.0, score - half_width)}, {"high", score + half_width}, {"alpha", alpha}};
}

json prediction_json(const PredictRequest &own, const Judgement &j, double target, std::size_t validated,
                     const Calibration &calibration) {
    return {{"verdict", verdict_word(j.verdict)},
            {"target_vmaf", target},
            {"residual_threshold", own.residual_threshold},
            {"max_abs_residual", j.max_abs},
            {"mean_residual", j.mean},
            {"bias_correction", j.bias},
            {"k_validated", validated},
            {"uncertainty",
             {{"enabled", own.with_uncertainty},
              {"calibrated", calibration.is_known()},
              {"calibration", calibration.origin},
              {"half_width", calibration.half_width(own.alpha)},
              {"alpha", own.alpha}}},
            {"residuals", json::array()}};
}

void write_prediction(const PredictRequest &o, const json &document) {
    const std::string path = o.report_out.empty() ? o.output : o.report_out;
    write_result(o, path, json_document(document));
}

// Residuals of predictions (bench/tune_accuracy.py; 320x180, target 93): first on 14 or 15 clips that did not calibrate
// slopes (but were used to choose limits of probes), then, for x264, on the 13 that calibrated typical slopes; for x265
// on 14 that were never used for any choice.
Calibration built_in_calibration(const Adapter &adapter) {
    switch (adapter.family) {
    case EncoderFamily::x264: // preset veryfast
        return {{0.049,  0.159,  -0.019, 0.0,   0.086,  0.115,  -0.569, -0.33, -0.746, 0.765,
                 -3.325, -0.138, 0.202,  0.545, -0.087, -0.081, 0.0,    0.0,   -0.02,  -0.067,
                 -0.062, 0.072,  0.297,  -0.08, 0.085,  -0.965, 0.293,  -0.283},
                "built-in"};
    case EncoderFamily::x265: // preset ultrafast
        return {{0.106, -0.097, 1.417, 0.0, 0.422, 0.627, -0.108, -0.193, 1.253, -0.119, 0.0, -0.012, -0.097, 0.743},
                "built-in"};
    case EncoderFamily::svtav1: // preset veryfast
        return {{-0.462, 0.464, -0.44, 0.0, 0.0, -0.238, 1.039, -0.754, -0.934, 1.027, 0.0, 0.243, -0.117, 0.234},
                "built-in"};
    default: return {};
    }
}

} // namespace vmaf::tune
