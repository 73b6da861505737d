// `float_moment` on devices.
#pragma once

#include <memory>

#include "metrics/device_scorer.hpp"

namespace vmaf::moment {

std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, Device &device);

} // namespace vmaf::moment
