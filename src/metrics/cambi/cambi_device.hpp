// Device code of cambi.
#pragma once

#include <memory>

#include "metrics/cambi/cambi_heatmap.hpp"
#include "metrics/cambi/cambi_setup.hpp"
#include "metrics/device_scorer.hpp"

namespace vmaf::cambi {

// `heatmaps` is null without heat maps, and must outlive the scorer. `tiles`: also summed; null: none.
std::unique_ptr<DeviceScorer> make_device_scorer(const Setup &setup, const PictureFormat &format,
                                                 const HeatmapFiles *heatmaps, const TileGrid *tiles, Device &device);

} // namespace vmaf::cambi
