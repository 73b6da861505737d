// SYCL devices as a Device, through the module that is loaded when the first one is asked for (module.hpp).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "device/device.hpp"

namespace vmaf {

// They throw Error(ENODEV) where there is no module, no runtime or no device, with what to check (backends.md 3.2).
// index: a GPU in the runtime's order; none: what its default selector gives.
std::shared_ptr<Device> open_sycl_device(std::optional<unsigned> index);
std::vector<DeviceInfo> list_sycl_devices(); // GPUs

} // namespace vmaf
