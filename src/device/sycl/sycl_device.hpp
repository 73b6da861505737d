// SYCL devices, through a module loaded on first use (module.hpp).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "device/device.hpp"

namespace vmaf {

// They throw Error(ENODEV), with what to check, if there is no module, runtime or device (backends.md 3.2). index: a
// GPU in the runtime's order; empty: the default selector's.
std::shared_ptr<Device> open_sycl_device(std::optional<unsigned> index);
std::vector<DeviceInfo> list_sycl_devices(); // GPUs

} // namespace vmaf
