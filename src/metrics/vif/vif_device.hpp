// `vif` on devices: the sequence of its kernels.
#pragma once

#include <memory>
#include <span>

#include "metrics/device_scorer.hpp"

namespace vmaf::vif {

// `tiles`: also sum these; null: none.
std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, double gain_limit, const TileGrid *tiles,
                                                 Device &device);
// One scorer for several limits; null if one pass cannot serve them.
std::unique_ptr<DeviceScorer> make_family_device_scorer(const PictureFormat &format,
                                                        std::span<const double> gain_limits, Device &device);

} // namespace vmaf::vif
