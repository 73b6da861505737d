// Pairs of files that the scorer opens itself (tune.md 1.3).
#pragma once

#include <memory>
#include <string>

#include "stages/score_inputs.hpp"

namespace vmaf::tune {

// Whether a GPU's scorer gets FFmpeg's frames from both files, to the last sample; then it need not be asked for.
bool may_be_direct(const ScorePair &pair, const ScorePlan &plan, const ScoreSettings &settings);

// ScoreTransport::direct: as requested, or throws Error. ScoreTransport::automatic: for pairs that may be direct.
std::unique_ptr<ScoreInputs> make_direct_inputs(const Programs &programs, const ScorePair &pair, const ScorePlan &plan,
                                                const ScoreSettings &settings);

// While the encode of a pair is being made: lets the scorer start its GPU and decode the reference, if it will be given
// both files. Does not wait, and says nothing of problems.
void open_ahead(const Programs &programs, const ScorePair &pair, const ScoreSettings &settings);

} // namespace vmaf::tune
