// The models of a run: loading, and what they predict.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "options.hpp"
#include "session/session.hpp"

namespace vmaf::cli {

struct LoadedModel {
    std::string label; // version or path, for the score line
    Model model;
    std::optional<ModelCollection> collection;
};

// The models of a run, which `--model auto` makes depend on the size of the pictures.
struct ModelSets {
    std::deque<LoadedModel> usual, large; // addresses are stable, as the session needs; `large` is empty without auto
    const std::deque<LoadedModel> &of(unsigned height) const;
};

// In the order given. Throws Failure(setup).
ModelSets load_models(const std::vector<ModelArgument> &arguments);

// Throws Failure(usage) where a model's score would have the name of another score: who asked for the one would get the
// other.
void check_names(const Session &session, const std::deque<LoadedModel> &models);
// In XML names of scores are names of attributes, which not every name can be.
void warn_of_odd_names(const std::vector<ModelArgument> &arguments);

// What score lines state besides the mean.
struct ScoreLines {
    NumberFormat numbers;
    bool has_extremes = false; // minimum and harmonic mean
    std::vector<double> percentiles;
};

// Predicts every frame and returns the lines that people read: all models, then all collections.
// Throws Failure(setup).
std::vector<std::string> predict(Session &session, const std::deque<LoadedModel> &models, unsigned frames,
                                 const ScoreLines &lines);

} // namespace vmaf::cli
