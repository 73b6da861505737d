// Device memory or page-locked memory for picture pools.
#pragma once

#include <memory>

#include "base/aligned.hpp"
#include "base/error.hpp"
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

// The same for many pictures: several share a block, since allocating is slow. If memory for a block is short, each
// gets its own.
inline PictureMemory device_memory_in_blocks(const std::shared_ptr<Device> &device, Memory kind, std::size_t pictures) {
    struct Open { // the block in use
        std::shared_ptr<void> owner;
        std::byte *at = nullptr;
        std::size_t left = 0;
    };
    const PictureMemory one = device_memory(device, kind);
    return {kind, [one, pictures, open = std::make_shared<Open>()](std::size_t bytes) { // pools allocate one at a time
                constexpr std::size_t kBlockAlignment = 256;
                bytes = round_up<std::size_t>(bytes + kOverreadBytes, kBlockAlignment);
                if (open->left < bytes) try {
                        PictureBlock block = one.allocate(pictures * bytes);
                        *open = {std::move(block.owner), block.data, pictures * bytes};
                    } catch (const Error &e) {
                        if (e.code() != ENOMEM) throw;
                        return one.allocate(bytes);
                    }
                std::byte *const data = open->at;
                open->at += bytes;
                open->left -= bytes;
                return PictureBlock{data, open->owner};
            }};
}

} // namespace vmaf
