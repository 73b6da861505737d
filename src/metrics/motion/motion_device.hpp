// `motion` on devices: the sum of the blurred difference.
#pragma once

#include <memory>
#include <string_view>

#include "metrics/device_scorer.hpp"

namespace vmaf::motion {

// `distance`: how many frames back the earlier picture is; 0: all sums are 0.
std::unique_ptr<DeviceScorer> make_device_scorer(std::string_view metric, const PictureFormat &format,
                                                 unsigned distance, Device &device);

} // namespace vmaf::motion
