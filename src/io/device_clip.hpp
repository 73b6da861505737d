// Frames of a video file that never leave the device: several decoders work at parts of the file at once, a kernel
// makes pictures of their surfaces, and frames are handed out in order.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "io/video_clip.hpp"

namespace vmaf {

struct DeviceClipUse {
    std::string name; // for sentences
    VideoOutput output;
    Fraction average_rate;  // of the file
    bool has_chroma = true; // false: pictures come without samples of chroma
    std::uint64_t skip = 0; // frames
    ClipTimes times;
    unsigned decoders = 1;               // at most
    std::optional<std::uint64_t> frames; // that will be taken, skipped ones included, where that is known
};
// Pictures are complete when they are handed out. Throws Error.
std::unique_ptr<VideoClip> make_device_clip(std::unique_ptr<VideoParts> parts, std::shared_ptr<Device> device,
                                            const DeviceClipUse &use);

} // namespace vmaf
