// `vif` on devices: how its kernels are chained.
#pragma once

#include <memory>
#include <span>

#include "metrics/device_scorer.hpp"

namespace vmaf::vif {

// `tiles`: sums of these are wanted, too; null: no.
std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, double gain_limit, const TileGrid *tiles,
                                                 Device &device);
// One scorer for several limits; null where one pass does not serve them.
std::unique_ptr<DeviceScorer> make_family_device_scorer(const PictureFormat &format,
                                                        std::span<const double> gain_limits, Device &device);

} // namespace vmaf::vif
