// Samples that represent the kinds of shots of a source (tune.md 8.3, --sample-mode scenes).
#pragma once

#include <vector>

#include "stages/sampling.hpp"
#include "stages/shots.hpp"

namespace vmaf::tune {

// Indices of representative shots: the least and the most complex one, and those closest to the centres of groups with
// similar motion and detail. In time order, at most `count`.
std::vector<std::size_t> representative_shots(const std::vector<ShotFeatures> &shots, std::size_t count);

// A window in the middle of each representative shot; six by default (--samples).
SampleChoice choose_scenes(const std::vector<ShotFeatures> &shots, const Source &source,
                           const SamplingRequest &request);

} // namespace vmaf::tune
