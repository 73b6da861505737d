// Samples that stand for the kinds of shots of a source (tune.md 8.3, --sample-mode scenes).
#pragma once

#include <vector>

#include "stages/sampling.hpp"
#include "stages/shots.hpp"

namespace vmaf::tune {

// Indices of shots that represent all: the least and the most complex one, and the ones nearest to the centres of
// groups of similar motion and detail. In the order of time, at most `count`.
std::vector<std::size_t> representative_shots(const std::vector<ShotFeatures> &shots, std::size_t count);

// A window in the middle of each representative shot; six unless --samples says otherwise.
SampleChoice choose_scenes(const std::vector<ShotFeatures> &shots, const Source &source,
                           const SamplingRequest &request);

} // namespace vmaf::tune
