// Where a stream may begin: what is sent all the time can be joined anywhere, a file begins at its beginning. And what
// its headers say that a decoder does not pass on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

extern "C" {
#include <libavformat/avformat.h>
}

namespace vmaf::libav {

// Containers and bare streams that recordings of a transmission have. A stream in any other begins with a picture that
// needs no other.
bool may_be_joined_anywhere(const AVInputFormat &format);

// The packet has a header that stands before pictures which need no other alone: MPEG's group of pictures, sets of
// parameters.
bool announces_key_picture(AVCodecID codec, std::span<const std::uint8_t> packet);

// How MPEG-2's chroma is sampled, where the packet states it: 1, 2, 3 for 4:2:0, 4:2:2, 4:4:4. FFmpeg's decoder looks
// at the first one only, and puts samples of another into the wrong places.
std::optional<unsigned> chroma_of_mpeg2(std::span<const std::uint8_t> packet);

} // namespace vmaf::libav
