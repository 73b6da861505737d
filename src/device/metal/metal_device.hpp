// Devices of Metal (backends.md 3.2): Apple family 7 and newer, macOS 15 and newer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "device/metal/imported_pictures.hpp"

namespace vmaf {

// Without an index: the system's default device. Throws Error(ENODEV) if the device is missing or too old.
std::shared_ptr<Device> open_metal_device(std::optional<unsigned> index);

// A caller's id<MTLDevice> and id<MTLCommandQueue>, which the caller keeps; 0: our own queue.
std::shared_ptr<Device> open_metal_device_of(std::uintptr_t device, std::uintptr_t command_queue);

std::vector<DeviceInfo> list_metal_devices();

// Pictures imported as surfaces, for contexts that use the device; throws Error for other backends.
metal::ImportedPictures &imported_pictures(Device &device);

// Copies plane `plane` of a caller's IOSurfaceRef into imported picture `index`. Surfaces with two planes have both
// chroma components in the second, and deep samples in the upper bits of their words.
void import_surface(Device &device, std::uintptr_t surface, unsigned plane, unsigned width, unsigned height,
                    unsigned bits, bool is_ref, unsigned index);

// Waits until all work in queues of the device is done.
void wait_for_metal(Device &device);

} // namespace vmaf
