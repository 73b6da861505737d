// The device code of every metric that has some gives the figures of the scalar code, bit for bit. Run on the host
// device in both of its forms; bench/device_bench runs the same cases on real ones.
#include <gtest/gtest.h>

#include "device/host/host_device.hpp"
#include "support/device_run.hpp"

namespace vmaf::device_equality_test {
namespace {

class DeviceEquality : public testing::TestWithParam<std::tuple<std::string, unsigned>> {};

TEST_P(DeviceEquality, AtEveryDepthAroundTilesAndWithEveryOption) {
    const auto &[metric, group_width] = GetParam();
    const auto device = open_host_device(group_width);
    for (const DeviceCase &c : device_cases(metric))
        EXPECT_EQ(device_difference(c, pairs_for(c.format), *device), "") << c.name();
}

INSTANTIATE_TEST_SUITE_P(Metrics, DeviceEquality,
                         testing::Combine(testing::ValuesIn(metrics_on_devices()), testing::Values(32u, 64u)),
                         [](const auto &info) {
                             return std::get<0>(info.param) + "InGroupsOf" + std::to_string(std::get<1>(info.param));
                         });

} // namespace
} // namespace vmaf::device_equality_test
