// Cases for the device code of psnr_hvs, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

const MetricDeviceCases psnr_hvs_cases("psnr_hvs", [](DeviceCaseList &list) {
    list.add(16, 16, 8, {}, PixelFormat::yuv420p);
    list.add(15, 22, 12, {}, PixelFormat::yuv444p);
    list.add(14, 40, 8, {}, PixelFormat::yuv422p); // no block in the chroma planes
    list.add(457, 36, 10, {}, PixelFormat::yuv420p);
});

} // namespace
} // namespace vmaf
