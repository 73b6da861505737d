// `adm` on devices: how its kernels are chained.
#pragma once

#include <memory>

#include "metrics/adm/plan.hpp"
#include "metrics/device_scorer.hpp"

namespace vmaf::adm {

std::unique_ptr<DeviceScorer> make_device_scorer(const Plan &plan, Device &device);

} // namespace vmaf::adm
