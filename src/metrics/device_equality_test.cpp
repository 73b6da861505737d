// Device code gives the figures of scalar code, bit for bit, for every metric that has device code. Uses all variants
// of the host device; bench/device_bench runs the same cases on real devices.
#include <gtest/gtest.h>

#include "support/device_run.hpp"
#include "support/devices.hpp"

namespace vmaf::device_equality_test {
namespace {

class DeviceEquality : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(DeviceEquality, AtEveryDepthAroundTilesAndWithEveryOption) {
    const auto &[metric, name] = GetParam();
    const auto device = open_test_device(name);
    for (const DeviceCase &c : device_cases(metric))
        EXPECT_EQ(device_difference(c, pairs_for(c.format), *device), "") << c.name();
}

INSTANTIATE_TEST_SUITE_P(Metrics, DeviceEquality,
                         testing::Combine(testing::ValuesIn(metrics_on_devices()),
                                          testing::ValuesIn(host_run_device_names())),
                         [](const auto &info) { return std::get<0>(info.param) + "On" + std::get<1>(info.param); });

} // namespace
} // namespace vmaf::device_equality_test
