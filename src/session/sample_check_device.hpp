// Checks pictures on a device for samples above the bit depth, wherever they came from.
#pragma once

#include "metrics/device_scorer.hpp"
#include "session/sample_check.hpp"

namespace vmaf {

// Checks all uploaded planes of every picture in a batch. Produces no figures: collect() throws sample_above_depth(),
// with the message of require_samples_in_range().
std::unique_ptr<DeviceScorer> make_sample_check(const PictureFormat &format, Device &device);

} // namespace vmaf
