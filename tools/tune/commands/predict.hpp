// `predict`: the quality value that would meet a target, from one cheap probe per shot or from existing rows, with
// intervals and a verdict on its reliability (tune.md 12.8, 12.9).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/outputs.hpp"

namespace vmaf::tune {

struct PredictRequest : ProbeRequest, SearchOptions, CorpusInput, ClusterOptions {
    int validate = 8;
    double residual_threshold = 1.5, alpha = 0.1;
    std::string predictor_file, report_out, calibration, calibration_out, shots;
    bool with_uncertainty = false;
};

CommandFiles files_of(const PredictRequest &request);
int predict_from_corpus(const PredictRequest &request);

enum class PredictionVerdict { reliable, recalibrate, fall_back };
const char *verdict_word(PredictionVerdict verdict);

struct Judgement {
    PredictionVerdict verdict = PredictionVerdict::fall_back;
    double max_abs = 0, mean = 0, bias = 0; // bias: added to predictions if `recalibrate`
};
// From measured minus predicted, for validated shots.
Judgement judge(const std::vector<double> &residuals, double threshold);

// Which `k` shots to validate: some per quarter by probe bitrate, the rest from the highest.
std::vector<std::size_t> chosen_for_validation(const std::vector<double> &bitrates, std::size_t k);

// Half the width of an interval that contains 1 - alpha of held-out residuals, and its origin.
struct Calibration {
    std::vector<double> residuals; // of validated predictions
    std::string origin;            // "sidecar", "built-in", or empty: unknown
    bool is_known() const { return !residuals.empty(); }
    double half_width(double alpha) const;
};
Calibration read_calibration(const std::string &path); // {method, alpha, n, residuals}; throws CommandError
Calibration built_in_calibration(const Adapter &adapter);
nlohmann::json calibration_json(const std::vector<double> &residuals, double alpha);

// Shared output of both prediction methods; keys of the older tool.
nlohmann::json prediction_json(const PredictRequest &request, const Judgement &judgement, double target,
                               std::size_t validated, const Calibration &calibration);
void write_prediction(const PredictRequest &request, const nlohmann::json &document);
nlohmann::json interval_json(double score, double half_width, double alpha);

} // namespace vmaf::tune
