// `xpsnr` on devices.
#pragma once

#include <memory>

#include "metrics/device_scorer.hpp"
#include "metrics/xpsnr/xpsnr.hpp"

namespace vmaf::xpsnr {

// For the first `planes` planes. Fills a FrameResult like the CPU's scorer.
std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, const Plan &plan, unsigned planes,
                                                 Device &device);

} // namespace vmaf::xpsnr
