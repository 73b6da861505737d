// The devices that tests and benchmarks know by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace vmaf {

std::vector<std::string> host_run_device_names(); // "host32", "host64"
std::vector<std::string> test_device_names();     // "host32", "host64", and the GPU backends of this build
// Null where the machine has no such device.
std::shared_ptr<Device> open_test_device(const std::string &name);

} // namespace vmaf
