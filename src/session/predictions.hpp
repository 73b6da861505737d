// Scores of models, made of features that are stored. Each is made once and stored under the model's name.
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

    // Throw Error while features are missing, and name the first one.
    double at(const Model &model, unsigned index);
    CollectionScore at(const ModelCollection &collection, unsigned index);

    // Models that are predicted as soon as their features are complete: tried each time a score arrives
    // (models.md 6.5).
    void mount(std::span<const Model> models);
    void try_mounted(const std::string &arrived, unsigned index);

  private:
    double predict(const Model &model, unsigned index);
    double predict_raw(const Model &model, unsigned index) const;
    bool has_features(const Model &model, unsigned index) const;

    ScoreCollector &scores_;
    std::recursive_mutex mutex_; // a prediction that is stored may lead to the next one
    std::vector<Model> mounted_;
};

} // namespace vmaf
