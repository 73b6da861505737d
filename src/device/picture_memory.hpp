// Memory of a device, or page-locked memory for it, for pools of pictures.
#pragma once

#include <memory>

#include "base/aligned.hpp"
#include "device/device.hpp"
#include "picture/pool.hpp"

namespace vmaf {

inline PictureMemory device_memory(std::shared_ptr<Device> device, Memory kind) {
    return {kind, [device = std::move(device), kind](std::size_t bytes) {
                bytes += kOverreadBytes;
                std::shared_ptr<DeviceMemory> block =
                    kind == Memory::device ? device->allocate(bytes) : device->allocate_pinned(bytes);
                std::byte *const data = block->data();
                return PictureBlock{data, std::move(block)};
            }};
}

} // namespace vmaf
