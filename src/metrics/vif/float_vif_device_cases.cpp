// Cases for the device code of float_vif, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

const MetricDeviceCases float_vif_cases("float_vif", [](DeviceCaseList &list) {
    for (const unsigned bits : {8u, 16u}) list.add(16, 33, bits);
    list.add(67, 35, 8, {{"vif_skip_scale0", "true"}});
    list.add(70, 37, 10, {{"vif_enhn_gain_limit", "1"}, {"vif_sigma_nsq", "0"}});
    list.add(264, 266, 8, {{"vif_kernelscale", "3.711340"}});
    list.add(40, 36, 8, {{"vif_kernelscale", "0.5"}});
    for (const char *method : {"nearest", "bilinear", "bicubic", "lanczos4"})
        list.add(61, 43, 8, {{"vif_prescale", "0.7"}, {"vif_prescale_method", method}});
    list.add(35, 33, 16, {{"vif_prescale", "1.5"}, {"vif_prescale_method", "bilinear"}});
    for (const unsigned bits : {8u, 16u}) list.add_tiles(131, 67, bits, 16);
    list.add_tiles(70, 64, 8, 32, {{"vif_skip_scale0", "true"}});
    list.add_tiles(87, 65, 8, 32, {{"vif_prescale", "0.7"}});
});

} // namespace
} // namespace vmaf
