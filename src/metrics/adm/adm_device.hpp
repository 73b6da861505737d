// `adm` on devices: how its kernels are chained.
#pragma once

#include <memory>

#include "metrics/adm/plan.hpp"
#include "metrics/device_scorer.hpp"

namespace vmaf::adm {

// `tiles`: sums of these are wanted, too; null: no.
std::unique_ptr<DeviceScorer> make_device_scorer(const Plan &plan, const TileGrid *tiles, Device &device);

} // namespace vmaf::adm
