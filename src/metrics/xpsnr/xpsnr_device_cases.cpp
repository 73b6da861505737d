// Cases for the device code of xpsnr, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

const MetricDeviceCases cases("xpsnr", [](DeviceCaseList &list) {
    for (const unsigned bits : {8u, 16u}) {
        list.add(8, 8, bits); // too small for weights
        list.add(130, 67, bits, {{"fps", "60"}}, PixelFormat::yuv422p);
        list.add(129, 66, bits, {{"enable_chroma", "false"}}, PixelFormat::yuv420p);
    }
    list.add(701, 441, 10, {{"fps", "32"}}, PixelFormat::yuv420p); // weights are not smoothed
    list.add(2049, 1153, 8, {{"fps", "50"}});                      // a large picture
});

} // namespace
} // namespace vmaf
