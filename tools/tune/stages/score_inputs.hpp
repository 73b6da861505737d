// How the frames of a pair reach the scorer (tune.md 1.3): through pipes, files, or directly.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stages/score_plan.hpp"

namespace vmaf::tune {

class ScoreInputs {
  public:
    virtual ~ScoreInputs() = default;

    // The scorer's arguments, and the descriptors that they refer to.
    const Arguments &arguments() const { return arguments_; }
    virtual std::vector<std::pair<int, int>> inherited() const { return {}; }
    virtual bool opens_files() const { return false; } // the scorer does

    // After the scorer ended: errors of the transport. `has_given_up`: it was ended because nothing arrived.
    virtual Outcome finish([[maybe_unused]] bool has_given_up) { return {}; }

    const std::vector<std::string> &remarks() const { return remarks_; } // after finish()

  protected:
    std::vector<std::string> remarks_;
    Arguments arguments_;
};

Arguments raw_geometry(const ScorePlan &plan); // of raw frames, for the scorer

// Throws Error for pairs that the transport cannot carry, and for files that cannot be decoded (`file`).
std::unique_ptr<ScoreInputs> make_score_inputs(const Programs &programs, const ScorePair &pair, const ScorePlan &plan,
                                               const ScoreSettings &settings);

} // namespace vmaf::tune
