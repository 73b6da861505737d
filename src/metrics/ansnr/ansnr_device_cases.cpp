// Cases for the device code of float_ansnr, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

const MetricDeviceCases ansnr_cases("float_ansnr", [](DeviceCaseList &list) {
    for (const unsigned size : {3u, 4u, 31u, 32u, 33u, 66u}) {
        list.add(size, 35, 8);
        list.add(40, size, 16);
    }
});

} // namespace
} // namespace vmaf
