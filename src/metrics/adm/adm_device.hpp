// `adm` on devices: the sequence of its kernels.
#pragma once

#include <memory>
#include <span>

#include "metrics/adm/plan.hpp"
#include "metrics/device_scorer.hpp"

namespace vmaf::adm {

// `tiles`: also sum these; null: none.
std::unique_ptr<DeviceScorer> make_device_scorer(const Plan &plan, const TileGrid *tiles, Device &device);
// One scorer for plans of one format; null if one pass cannot serve them.
std::unique_ptr<DeviceScorer> make_family_device_scorer(std::span<const Plan *const> members, Device &device);

} // namespace vmaf::adm
