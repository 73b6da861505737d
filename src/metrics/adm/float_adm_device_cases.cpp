// Cases for the device code of float_adm, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

const MetricDeviceCases float_adm_cases("float_adm", [](DeviceCaseList &list) {
    for (const unsigned size : {17u, 18u, 33u}) list.add(size, 35, 8);
    list.add(130, 135, 16, {{"adm_enhn_gain_limit", "1.2"}, {"debug", "true"}});
    list.add(67, 66, 8, {{"adm_bypass_cm", "1"}});
    list.add(90, 70, 10, {{"adm_skip_scale0", "true"}, {"adm_csf_mode", "1"}});
    for (const unsigned bits : {8u, 16u}) list.add_tiles(131, 67, bits, 16);
    list.add_tiles(90, 70, 10, 32, {{"adm_skip_scale0", "true"}, {"adm_bypass_cm", "1"}});
});

} // namespace
} // namespace vmaf
