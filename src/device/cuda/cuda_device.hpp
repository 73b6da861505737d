// Devices of the CUDA driver (backends.md 3.1, 8).
#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"

namespace vmaf {

// A device of those that CUDA_VISIBLE_DEVICES leaves, through its primary context, which is shared with other users in
// the process. With a caller's context (a CUcontext): the device of that context, which stays the caller's and must
// outlive the Device. Throws Error when there is no usable driver or device; the message says why.
std::shared_ptr<Device> open_cuda_device(void *context = nullptr, unsigned index = 0);

// What the driver offers; throws like open_cuda_device(). Makes no context.
std::vector<DeviceInfo> list_cuda_devices();

} // namespace vmaf
