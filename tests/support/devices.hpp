// The devices that tests and benchmarks know by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace vmaf {

// "host32", "host64", and those that a program has added: without a GPU, run by the host.
std::vector<std::string> host_run_device_names();
std::vector<std::string> test_device_names(); // these, and the GPU backends of this build
// Null where the machine has no such device.
std::shared_ptr<Device> open_test_device(const std::string &name);

// Before main().
using OpenDevice = std::unique_ptr<Device> (*)();
bool add_host_run_device(const std::string &name, OpenDevice open);

} // namespace vmaf
