// `float_adm` on devices.
#pragma once

#include <memory>

#include "metrics/adm/float_sweep.hpp"
#include "metrics/device_scorer.hpp"

namespace vmaf::adm {

// Fills a FrameResult like the CPU's scorer. `tiles`: also summed; null: none. Throws Error(ENOTSUP) for exponents
// other than 3.
std::unique_ptr<DeviceScorer> make_float_device_scorer(const FloatPlan &plan, double noise_weight,
                                                       const TileGrid *tiles, Device &device);

} // namespace vmaf::adm
