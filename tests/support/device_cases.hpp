// The cases on which device code of a metric is compared. All metrics share a common part: all depths, formats, odd
// sizes. A metric's folder adds its own in a file of device_case_sources: sizes around its tiles, its options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metrics/options.hpp"
#include "picture/picture.hpp"

namespace vmaf {

struct DeviceCase {
    std::string metric;
    OptionTexts options;
    PictureFormat format;
    int cell = 0;                      // not 0: with tiles for such cells and a region
    double tolerance = 0;              // relative, of a frame's figures; 0: every bit
    std::vector<OptionTexts> others{}; // more members of a family that one scorer serves

    std::string name() const; // "vif 87x65 4:0:0 8 bit vif_enhn_gain_limit=1"
};

// Collects the cases of a metric.
class DeviceCaseList {
  public:
    explicit DeviceCaseList(std::string_view metric) : metric_(metric) {}
    void add(unsigned width, unsigned height, unsigned bits, const OptionTexts &options = {},
             PixelFormat format = PixelFormat::yuv400p);
    // Also with tiles (maps.md).
    void add_tiles(unsigned width, unsigned height, unsigned bits, int cell, const OptionTexts &options = {},
                   PixelFormat format = PixelFormat::yuv400p);
    // One scorer for all these options.
    void add_family(unsigned width, unsigned height, unsigned bits, const std::vector<OptionTexts> &members,
                    PixelFormat format = PixelFormat::yuv400p);
    // For all cases of a metric whose page explains why bits differ.
    void set_tolerance(double relative) { tolerance_ = relative; }

    std::vector<DeviceCase> take();

  private:
    std::string metric_;
    double tolerance_ = 0;
    std::vector<DeviceCase> cases_;
};

// Define an object of this type at namespace scope to register the cases.
struct MetricDeviceCases {
    MetricDeviceCases(const char *metric, void (*make)(DeviceCaseList &list));
};

// The common part, if the metric supports such pictures, plus the folder's cases.
std::vector<DeviceCase> device_cases(std::string_view metric);
std::vector<std::string> metrics_on_devices();

} // namespace vmaf
