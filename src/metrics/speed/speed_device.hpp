// Device code of speed_chroma and speed_temporal.
#pragma once

#include <memory>

#include "metrics/device_scorer.hpp"
#include "metrics/speed/speed_plane.hpp"

namespace vmaf::speed {

std::unique_ptr<DeviceScorer> make_chroma_device_scorer(const Geometry &geometry, const Settings &settings,
                                                        unsigned bits, Device &device);
// `against_reference`: speed_use_ref_diff.
std::unique_ptr<DeviceScorer> make_temporal_device_scorer(const Geometry &geometry, const Settings &settings,
                                                          bool against_reference, unsigned bits, Device &device);

} // namespace vmaf::speed
