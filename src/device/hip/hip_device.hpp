// Devices of AMD's HIP runtime (backends.md 3.2).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "device/device.hpp"

namespace vmaf {

// The device of that number among those that HIP_VISIBLE_DEVICES leaves; the first by default. Throws Error: ENODEV
// where there is no usable runtime or device, ENOSYS where there is one and this build has no code for devices.
std::shared_ptr<Device> open_hip_device(std::optional<unsigned> index);

bool hip_has_code(); // that devices can run is part of this build

// What the runtime offers; throws like open_hip_device().
std::vector<DeviceInfo> list_hip_devices();

} // namespace vmaf
