// A file decoded in software in one piece, for a device that copies its frames from where they were decoded.
#pragma once

#include <memory>

#include "io/libav/decoder.hpp"
#include "io/libav/part_decoder.hpp"

namespace vmaf::libav {

// `first`: the frame that the decoder already output; others are like it.
std::unique_ptr<VideoParts> make_upload_parts(std::unique_ptr<Decoder> decoder, Frame first, const FrameKind &kind);

} // namespace vmaf::libav
