// Runs the device code of a metric on pictures in memory, for comparison with the scalar code; and pictures for that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "metrics/metric.hpp"

namespace vmaf {

struct PicturePair {
    Picture ref, dist;
};

// Waves and noise, with zones that lead into every branch: equal pictures, gain, inverted contrast, flat reference, ...
PicturePair texture_pair(const PictureFormat &format, unsigned seed);
// Black, white and random samples: reaches the wraps that the specifications mention.
PicturePair extreme_pair(const PictureFormat &format, unsigned seed);

std::vector<FrameResult> results_on_cpu(const Metric &metric, const std::vector<PicturePair> &pairs, Isa isa);
// In two batches: one frame, then the others.
std::vector<FrameResult> results_on_device(const Metric &metric, const std::vector<PicturePair> &pairs, Device &device);

// Scores the pairs on both. Empty if all figures have the same bits, else where they differ first.
std::string device_difference(std::string_view metric, const OptionTexts &options,
                              const std::vector<PicturePair> &pairs, Device &device, Isa isa = Isa::scalar);

// What the device code of a metric must be compared on: sizes around tiles, all depths, all options that kernels see.
struct DeviceCase {
    std::string metric;
    OptionTexts options;
    PictureFormat format;

    std::string name() const; // "vif 87x65 8 bit vif_enhn_gain_limit=1"
};
std::vector<DeviceCase> device_cases(std::string_view metric);
// Two textures, extremes, swapped and equal pictures.
std::vector<PicturePair> pairs_for(const PictureFormat &format);

} // namespace vmaf
