// `psnr` and `float_psnr` on devices: sums of squared differences.
#pragma once

#include <memory>

#include "metrics/device_scorer.hpp"

namespace vmaf::psnr {

// For the first `planes` planes. Fills a FrameResult like the CPU's scorer of `psnr`.
std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, unsigned planes, Device &device);
std::unique_ptr<DeviceScorer> make_tiling_device_scorer(const PictureFormat &format, unsigned planes,
                                                        const TileGrid &tiles, Device &device);
// The same for `float_psnr`.
std::unique_ptr<DeviceScorer> make_float_device_scorer(const PictureFormat &format, Device &device);

} // namespace vmaf::psnr
