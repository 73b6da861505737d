// Cases for the device code of ssimulacra2, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

const MetricDeviceCases ssimulacra2_cases("ssimulacra2", [](DeviceCaseList &list) {
    list.add(8, 8, 8, {}, PixelFormat::yuv444p);
    list.add(7, 40, 8, {}, PixelFormat::yuv444p);
    list.add(9, 13, 10, {}, PixelFormat::yuv420p);
    list.add(33, 29, 8, {{"yuv_matrix", "1"}}, PixelFormat::yuv420p);
    list.add(66, 40, 16, {{"yuv_matrix", "2"}}, PixelFormat::yuv422p);
    list.add(130, 67, 12, {{"yuv_matrix", "3"}}, PixelFormat::yuv420p);
});

} // namespace
} // namespace vmaf
