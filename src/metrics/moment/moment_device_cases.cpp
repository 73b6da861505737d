// Cases for the device code of float_moment, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

using Sizes = std::vector<std::pair<unsigned, unsigned>>;

const MetricDeviceCases moment_cases("float_moment", [](DeviceCaseList &list) {
    for (const auto &[w, h] : Sizes{{1, 1}, {7, 16}, {513, 17}, {1025, 3}})
        for (const unsigned bits : {8u, 12u, 16u}) list.add(w, h, bits);
    list.add(2304, 2048, 16); // the sum of squares exceeds 2^53
});

} // namespace
} // namespace vmaf
