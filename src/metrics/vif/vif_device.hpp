// `vif` on devices: how its kernels are chained.
#pragma once

#include <memory>

#include "metrics/device_scorer.hpp"

namespace vmaf::vif {

// `tiles`: sums of these are wanted, too; null: no.
std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, double gain_limit, const TileGrid *tiles,
                                                 Device &device);

} // namespace vmaf::vif
