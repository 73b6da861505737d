// Cases for the device code of ciede, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

const MetricDeviceCases ciede_cases("ciede", [](DeviceCaseList &list) {
    list.set_tolerance(
        1e-9); // functions differ from the C library's, and their results are rounded to f32 (docs/metrics/ciede.md)
    list.add(65, 7, 8, {}, PixelFormat::yuv420p);
    list.add(64, 5, 12, {}, PixelFormat::yuv422p);
    list.add(33, 9, 16, {}, PixelFormat::yuv444p);
    list.add(3, 2, 10, {}, PixelFormat::yuv420p);
    list.add_tiles(131, 67, 8, 16, {}, PixelFormat::yuv420p);
});

} // namespace
} // namespace vmaf
