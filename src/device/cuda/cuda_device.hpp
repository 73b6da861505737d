// Devices of the CUDA driver (backends.md 3.1, 8).
#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"

namespace vmaf {

// Opens a device, numbered as CUDA_VISIBLE_DEVICES leaves them, through its primary context, which others in the
// process share; or the device of a caller's context (a CUcontext), which the caller keeps and which must outlive the
// Device. Throws Error if there is no usable driver or device.
std::shared_ptr<Device> open_cuda_device(void *context = nullptr, unsigned index = 0);

// Lists the driver's devices; throws like open_cuda_device(). Creates no context.
std::vector<DeviceInfo> list_cuda_devices();

} // namespace vmaf
