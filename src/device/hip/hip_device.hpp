// Devices of AMD's HIP runtime (backends.md 3.2).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "device/device.hpp"

namespace vmaf {

// Opens a device, numbered as HIP_VISIBLE_DEVICES leaves them; the first by default. Throws Error: ENODEV without a
// usable runtime or device, ENOSYS if this build has no device code.
std::shared_ptr<Device> open_hip_device(std::optional<unsigned> index);

bool hip_has_code(); // this build has device code

// Lists the runtime's devices; throws like open_hip_device().
std::vector<DeviceInfo> list_hip_devices();

} // namespace vmaf
