// The devices that tests and benchmarks know by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace vmaf {

// "host32", "host64" and those added by a program: run by the host, without a GPU.
std::vector<std::string> host_run_device_names();
std::vector<std::string> test_device_names(); // those, and the GPU backends of this build
// Null if the machine lacks the device.
std::shared_ptr<Device> open_test_device(const std::string &name);

// Call it before main().
using OpenDevice = std::unique_ptr<Device> (*)();
bool add_host_run_device(const std::string &name, OpenDevice open);

} // namespace vmaf
