// `ssimulacra2` on devices.
#pragma once

#include <memory>

#include "metrics/device_scorer.hpp"

namespace vmaf::ssimulacra2 {

// Fills a FrameResult like the CPU's scorer.
std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, int matrix, Device &device);

} // namespace vmaf::ssimulacra2
