// A model's data, shared by reader and prediction.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "model/regressor.hpp"
#include "model/score_transform.hpp"

namespace vmaf {

enum class ModelType { unknown, plain, bootstrap };
enum class Normalisation { none, linear_rescale };

struct ScoreClip {
    double min, max;
};

struct Model::Data {
    std::string name;
    ModelType type = ModelType::unknown;
    std::optional<Normalisation> normalisation; // required for predictions
    // Element 0 belongs to the score, 1 + i to feature i; missing ones are 0.
    std::array<double, kMaxFeatures + 1> slopes{}, intercepts{};
    std::vector<Feature> features;
    BackendWish wish;
    std::optional<std::vector<std::string>> stored_names; // empty while a feature or an option is invalid
    std::optional<ScoreTransform> transform;
    std::optional<ScoreClip> clip;
    std::optional<double> chroma_correction;
    std::shared_ptr<const Regressor> regressor; // shared by copies
};

} // namespace vmaf
