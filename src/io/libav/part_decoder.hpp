// Decoders of a file's parts, whose frames stay where they are decoded.
#pragma once

#include <memory>

#include "io/libav/libav.hpp"
#include "io/video_file.hpp"

namespace vmaf::libav {

class Container;

// What all frames of a file must be like.
struct FrameKind {
    int width = 0, height = 0, format = -1, range = 0;

    // Throws Error for a frame that is not.
    void check(const FrameKind &other, std::uint64_t number, const std::string &name) const;
};
// `format`: of the samples, where the frame itself is in memory of a device.
FrameKind kind_of(const AVFrame &frame, int format);

std::unique_ptr<VideoParts> make_parts(std::shared_ptr<Container> container, const DecodingDevice &device,
                                       const FrameKind &kind);

} // namespace vmaf::libav
