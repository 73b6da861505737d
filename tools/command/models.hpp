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

// In the order given; addresses are stable, as the session needs. Throws Failure(setup).
std::deque<LoadedModel> load_models(const std::vector<ModelArgument> &arguments);

// Throws Failure(usage) where a model's score would have the name of another score: who asked for the one would get the
// other.
void check_names(const Session &session, const std::deque<LoadedModel> &models);
// In XML names of scores are names of attributes, which not every name can be.
void warn_of_odd_names(const std::vector<ModelArgument> &arguments);

// Predicts every frame and returns the lines that people read: all models, then all collections.
// Throws Failure(setup).
std::vector<std::string> predict(Session &session, const std::deque<LoadedModel> &models, unsigned frames,
                                 const NumberFormat &numbers);

} // namespace vmaf::cli
