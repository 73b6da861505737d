// `float_vif` on devices.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "metrics/common/resize.hpp"
#include "metrics/device_scorer.hpp"
#include "metrics/vif/float_vif_strip.hpp"

namespace vmaf::float_vif {

struct DeviceSettings {
    int width, height; // after the prescale
    ResizeMethod method;
    bool skip_scale0;
    Constants constants;
    std::array<std::vector<float>, kScales> taps;
};

// Fills a FrameResult like the CPU's scorer. `tiles`: also summed; null: none.
std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, const DeviceSettings &settings,
                                                 const TileGrid *tiles, Device &device);

} // namespace vmaf::float_vif
