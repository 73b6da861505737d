// `adm` on devices: how its kernels are chained.
#pragma once

#include <memory>
#include <span>

#include "metrics/adm/plan.hpp"
#include "metrics/device_scorer.hpp"

namespace vmaf::adm {

// `tiles`: sums of these are wanted, too; null: no.
std::unique_ptr<DeviceScorer> make_device_scorer(const Plan &plan, const TileGrid *tiles, Device &device);
// One scorer for plans of one format; null where one pass does not serve them.
std::unique_ptr<DeviceScorer> make_family_device_scorer(std::span<const Plan *const> members, Device &device);

} // namespace vmaf::adm
