// Cases for the device code of motion, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

using Sizes = std::vector<std::pair<unsigned, unsigned>>;

const MetricDeviceCases motion_cases("motion", [](DeviceCaseList &list) {
    for (unsigned bits = 8; bits <= 16; bits++)
        for (const char *five : {"false", "true"}) list.add(131, 37, bits, {{"motion_five_frame_window", five}});
    for (const auto &[w, h] :
         Sizes{{3, 3}, {4, 5}, {120, 8}, {121, 9}, {124, 10}, {127, 33}, {479, 7}, {480, 8}, {481, 9}, {8, 100}})
        for (const unsigned bits : {8u, 10u, 16u}) list.add(w, h, bits);
});

} // namespace
} // namespace vmaf
