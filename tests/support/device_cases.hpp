// What the device code of a metric must be compared on. Every metric gets a common part: all depths, all formats, odd
// sizes. A metric's folder adds its own, in a file of device_case_sources: sizes around its tiles, its options.
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
    int cell = 0;                      // not 0: with the tiles of such cells and of a region
    double tolerance = 0;              // relative, of the figures of a frame; 0: every bit
    std::vector<OptionTexts> others{}; // further members of a family that one scorer serves

    std::string name() const; // "vif 87x65 4:0:0 8 bit vif_enhn_gain_limit=1"
};

// Takes the cases of one metric.
class DeviceCaseList {
  public:
    explicit DeviceCaseList(std::string_view metric) : metric_(metric) {}
    void add(unsigned width, unsigned height, unsigned bits, const OptionTexts &options = {},
             PixelFormat format = PixelFormat::yuv400p);
    // With tiles (maps.md), too.
    void add_tiles(unsigned width, unsigned height, unsigned bits, int cell, const OptionTexts &options = {},
                   PixelFormat format = PixelFormat::yuv400p);
    // One scorer for metrics with these options.
    void add_family(unsigned width, unsigned height, unsigned bits, const std::vector<OptionTexts> &members,
                    PixelFormat format = PixelFormat::yuv400p);
    // For a metric whose page says that its bits differ, and why; for all of its cases.
    void set_tolerance(double relative) { tolerance_ = relative; }

    std::vector<DeviceCase> take();

  private:
    std::string metric_;
    double tolerance_ = 0;
    std::vector<DeviceCase> cases_;
};

// An object of this kind at namespace scope makes the cases known.
struct MetricDeviceCases {
    MetricDeviceCases(const char *metric, void (*make)(DeviceCaseList &list));
};

// The common part, as far as the metric takes such pictures at all, and what its folder adds.
std::vector<DeviceCase> device_cases(std::string_view metric);
std::vector<std::string> metrics_on_devices();

} // namespace vmaf
