// Cases for the device code of float_motion, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

const MetricDeviceCases float_motion_cases("float_motion", [](DeviceCaseList &list) {
    for (const char *size : {"1", "3", "5"}) list.add(67, 35, 8, {{"motion_filter_size", size}});
    for (const unsigned bits : {8u, 16u}) {
        list.add(70, 37, bits, {{"motion_add_uv", "true"}}, PixelFormat::yuv420p);
        list.add(69, 37, bits, {{"motion_add_scale1", "true"}});
        list.add(70, 38, bits, {{"motion_add_scale1", "true"}, {"motion_add_uv", "true"}}, PixelFormat::yuv420p);
        list.add(71, 35, bits, {{"motion_add_scale1", "true"}, {"motion_add_uv", "true"}}, PixelFormat::yuv422p);
    }
    list.add(3, 3, 8);
    list.add(64, 40, 8, {{"motion_force_zero", "true"}});
});

} // namespace
} // namespace vmaf
