// `float_ssim`, `float_ms_ssim` and `ssim` on devices. Each scorer fills a FrameResult like the CPU's. `tiles`: also
// summed; null: none.
#pragma once

#include <memory>

#include "metrics/device_scorer.hpp"

namespace vmaf {

std::unique_ptr<DeviceScorer> make_float_ssim_device_scorer(const PictureFormat &format, int factor, bool enable_lcs,
                                                            const TileGrid *tiles, Device &device);
std::unique_ptr<DeviceScorer> make_float_ms_ssim_device_scorer(const PictureFormat &format, bool enable_lcs,
                                                               Device &device);
std::unique_ptr<DeviceScorer> make_ssim_device_scorer(const PictureFormat &format, const TileGrid *tiles,
                                                      Device &device);

} // namespace vmaf
