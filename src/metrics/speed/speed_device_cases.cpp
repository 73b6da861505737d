// Cases for the device code of speed_chroma and speed_temporal, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

using Options = std::vector<OptionTexts>;

// Filters and scaling, which both support.
const Options kShared = {
    {{"speed_kernelscale", "3.7113"}},
    {{"speed_kernelscale", "0.5"}, {"speed_sigma_nn", "1.3"}},
    {{"speed_prescale", "1.3"}},
    {{"speed_prescale", "0.9"}, {"speed_prescale_method", "bilinear"}, {"speed_nn_floor", "0.3"}},
    {{"speed_prescale", "1.2"}, {"speed_prescale_method", "bicubic"}},
    {{"speed_prescale", "1.1"}, {"speed_prescale_method", "lanczos4"}},
};

const MetricDeviceCases chroma_cases("speed_chroma", [](DeviceCaseList &list) {
    for (unsigned bits = 8; bits <= 16; bits++) list.add(181, 175, bits, {}, PixelFormat::yuv444p);
    list.add(331, 325, 8, {}, PixelFormat::yuv420p);
    list.add(353, 167, 10, {}, PixelFormat::yuv422p);
    for (const OptionTexts &options : kShared) list.add(183, 185, 8, options, PixelFormat::yuv444p);
    for (const char *mode : {"1", "2", "3", "4", "5", "6"})
        list.add(165, 163, 8, {{"speed_weight_var_mode", mode}}, PixelFormat::yuv444p);
});

const MetricDeviceCases temporal_cases("speed_temporal", [](DeviceCaseList &list) {
    for (unsigned bits = 8; bits <= 16; bits++) list.add(181, 175, bits);
    list.add(1130, 165, 8); // more columns than shared memory holds at once
    for (const OptionTexts &options : kShared) list.add(183, 185, 10, options);
    list.add(183, 185, 8, {{"speed_use_ref_diff", "true"}});
});

} // namespace
} // namespace vmaf
