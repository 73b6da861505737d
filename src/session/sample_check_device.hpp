// Samples above the depth in pictures that are on a device, wherever they came from.
#pragma once

#include "metrics/device_scorer.hpp"
#include "session/sample_check.hpp"

namespace vmaf {

// Looks at all planes that were brought to the device, in any picture of a batch. Has no figures: collect() throws
// sample_above_depth(), with the sentence of require_samples_in_range().
std::unique_ptr<DeviceScorer> make_sample_check(const PictureFormat &format, Device &device);

} // namespace vmaf
