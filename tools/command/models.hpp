// The models of a run: loading and predicting.
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

// The models of a run; with `--model auto` they depend on the picture size.
struct ModelSets {
    std::deque<LoadedModel> usual, large; // stable addresses for the session; `large` is empty without auto
    const std::deque<LoadedModel> &of(unsigned height) const;
};

// In the order given. Throws Failure(setup).
ModelSets load_models(const std::vector<ModelArgument> &arguments);

// Throws Failure(usage) if a model's score would have the name of another score, since one would hide the
// other.
void check_names(const Session &session, const std::deque<LoadedModel> &models);
// XML documents use score names as attributes, which not every name can be.
void warn_of_odd_names(const std::vector<ModelArgument> &arguments);

// What score lines show in addition to the mean.
struct ScoreLines {
    NumberFormat numbers;
    bool has_extremes = false; // minimum and harmonic mean
    std::vector<double> percentiles;
};

// Predicts every frame and returns the score lines for users: all models, then all collections. Throws
// Failure(setup).
std::vector<std::string> predict(Session &session, const std::deque<LoadedModel> &models, unsigned frames,
                                 const ScoreLines &lines);

} // namespace vmaf::cli
