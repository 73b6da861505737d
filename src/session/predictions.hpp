// Predicts models from stored features. Each prediction is computed once and stored under the model's name.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "scores/collector.hpp"

namespace vmaf {

class Predictions {
  public:
    explicit Predictions(ScoreCollector &scores) : scores_(scores) {}

    // Throw Error naming the first missing feature.
    double at(const Model &model, unsigned index);
    CollectionScore at(const ModelCollection &collection, unsigned index);

    // Models to predict as soon as their features are complete: tried whenever a score arrives (models.md
    // 6.5).
    void mount(std::span<const Model> models);
    void try_mounted(const std::string &arrived, unsigned index);

  private:
    double predict(const Model &model, unsigned index);
    double predict_raw(const Model &model, unsigned index) const;
    bool has_features(const Model &model, unsigned index) const;

    ScoreCollector &scores_;
    std::recursive_mutex mutex_; // storing a prediction may trigger the next one
    std::vector<Model> mounted_;
};

} // namespace vmaf
