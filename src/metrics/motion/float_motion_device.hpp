// `float_motion` on devices.
#pragma once

#include <memory>
#include <span>

#include "metrics/device_scorer.hpp"

namespace vmaf::float_motion {

// For the first `planes` planes. Fills a FrameResult like the CPU's scorer.
std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, unsigned planes,
                                                 std::span<const float> taps, bool add_scale1, Device &device);

} // namespace vmaf::float_motion
