// Frames of a video file that stay on the device: several decoders work on parts of the file, a kernel converts their
// surfaces to pictures, and frames are handed out in order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "device/device.hpp"
#include "io/video_clip.hpp"

namespace vmaf {

struct DeviceClipUse {
    std::string name; // for messages
    VideoOutput output;
    Fraction average_rate;  // of the file
    bool has_chroma = true; // false: pictures have no chroma samples
    std::uint64_t skip = 0; // in frames
    ClipTimes times;
    unsigned decoders = 1;               // at most
    std::optional<std::uint64_t> frames; // to be taken including skipped ones, if known
    std::function<bool()> free_memory;   // called if memory is short; returns whether some was freed. May be empty
};
// Of a picture in device memory.
std::uint64_t device_picture_bytes(const PictureFormat &format, bool has_chroma);

// Pictures are complete when handed out. Throws Error.
std::unique_ptr<VideoClip> make_device_clip(std::unique_ptr<VideoParts> parts, std::shared_ptr<Device> device,
                                            const DeviceClipUse &use);

} // namespace vmaf
