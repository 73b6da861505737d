#include "io/libav/stream_start.hpp"

#include <array>
#include <string_view>

extern "C" {
#include <libavutil/avstring.h>
}

namespace vmaf::libav {

bool may_be_joined_anywhere(const AVInputFormat &format) {
    static constexpr std::array<std::string_view, 10> kKinds = {"mpegts", "mpegtsraw", "mpeg", "mpegvideo", "m4v",
                                                                "h264",   "hevc",      "vvc",  "cavsvideo", "wtv"};
    for (const std::string_view kind : kKinds)
        if (av_match_name(kind.data(), format.name)) return true;
    return false;
}

bool announces_key_picture(AVCodecID codec, std::span<const std::uint8_t> packet) {
    for (std::size_t i = 0; i + 3 < packet.size(); i++) {
        if (packet[i] != 0 || packet[i + 1] != 0 || packet[i + 2] != 1) continue;
        const unsigned code = packet[i + 3];
        switch (codec) {
        case AV_CODEC_ID_MPEG1VIDEO:
        case AV_CODEC_ID_MPEG2VIDEO:
            // Of the sequence and of a group; a sequence's may be repeated elsewhere, too, but hardly is.
            if (code == 0xb3 || code == 0xb8) return true;
            break;
        case AV_CODEC_ID_H264:
            if ((code & 0x1f) == 7) return true;
            break;
        case AV_CODEC_ID_HEVC:
            if ((code >> 1 & 0x3f) == 33) return true;
            break;
        default: return false;
        }
    }
    return false;
}

std::optional<unsigned> chroma_of_mpeg2(std::span<const std::uint8_t> packet) {
    constexpr unsigned kExtension = 0xb5, kOfSequence = 1, kFirstSlice = 0x01, kLastSlice = 0xaf;
    for (std::size_t i = 0; i + 5 < packet.size(); i++) {
        if (packet[i] != 0 || packet[i + 1] != 0 || packet[i + 2] != 1) continue;
        const unsigned code = packet[i + 3];
        if (code >= kFirstSlice && code <= kLastSlice) return std::nullopt; // headers come before them
        if (code == kExtension && packet[i + 4] >> 4 == kOfSequence) return packet[i + 5] >> 1 & 3;
    }
    return std::nullopt;
}

} // namespace vmaf::libav
