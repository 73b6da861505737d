// Cases for the device code of the structural similarities, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

const MetricDeviceCases float_ssim_cases("float_ssim", [](DeviceCaseList &list) {
    const OptionTexts all = {{"enable_lcs", "true"}};
    for (const unsigned size : {1u, 2u, 10u, 11u, 12u, 42u, 43u}) list.add(size, 43, 8, all);
    list.add(75, 43, 16, {{"enable_lcs", "true"}, {"scale", "1"}});
    for (const char *scale : {"2", "3", "4", "5", "8", "10"}) {
        list.add(131, 97, 8, {{"enable_lcs", "true"}, {"scale", scale}});
        list.add(130, 96, 12, {{"scale", scale}});
    }
    list.add(3, 200, 16, {{"scale", "10"}});
    list.add(4, 4, 8, {{"scale", "10"}});
    list.add(390, 386, 10);
    for (const char *scale : {"1", "2", "3"}) list.add_tiles(131, 67, 8, 16, {{"scale", scale}});
    list.add_tiles(75, 43, 16, 32, {{"scale", "4"}, {"enable_db", "true"}}); // tiles without positions
    list.add_tiles(40, 40, 8, 16, {{"scale", "8"}});                         // no position at all
});

const MetricDeviceCases float_ms_ssim_cases("float_ms_ssim", [](DeviceCaseList &list) {
    list.add(176, 176, 8, {{"enable_lcs", "true"}});
    list.add(191, 177, 16);
    list.add(208, 179, 10, {{"enable_lcs", "true"}});
});

const MetricDeviceCases ssim_cases("ssim", [](DeviceCaseList &list) {
    for (const unsigned size : {1u, 2u, 5u, 9u, 32u, 33u})
        for (const unsigned bits : {8u, 16u}) list.add(size, 17, bits);
    list.add(66, 1, 12);
    for (const unsigned bits : {8u, 16u}) list.add_tiles(131, 67, bits, 16);
    list.add_tiles(300, 290, 8, 4096); // more rows than a block adds at once
});

} // namespace
} // namespace vmaf
