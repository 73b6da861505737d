#include "io/libav/stream_start.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

extern "C" {
#include <libavutil/avstring.h>
}

namespace vmaf::libav {

namespace {

std::span<const std::uint8_t> bytes_of(const AVPacket &packet) {
    return {packet.data, static_cast<std::size_t>(std::max(packet.size, 0))};
}

// Containers and bare streams that recordings of a transmission have. A stream in any other begins with a picture that
// needs no other.
bool may_be_joined_anywhere(const AVInputFormat &format) {
    static constexpr std::array<std::string_view, 10> kKinds = {"mpegts", "mpegtsraw", "mpeg", "mpegvideo", "m4v",
                                                                "h264",   "hevc",      "vvc",  "cavsvideo", "wtv"};
    for (const std::string_view kind : kKinds)
        if (av_match_name(kind.data(), format.name)) return true;
    return false;
}

// The packet has a header that stands before pictures which need no other alone: MPEG's group of pictures, sets of
// parameters.
bool announces_key_picture(AVCodecID codec, std::span<const std::uint8_t> packet) {
    for (std::size_t i = 0; i + 3 < packet.size(); i++) {
        if (packet[i] != 0 || packet[i + 1] != 0 || packet[i + 2] != 1) continue;
        const unsigned code = packet[i + 3];
        switch (codec) {
        case AV_CODEC_ID_MPEG1VIDEO:
        case AV_CODEC_ID_MPEG2VIDEO:
            // Of a sequence or a group; a sequence header may be repeated elsewhere, but hardly ever is.
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

} // namespace

void StreamStart::saw_packet(const AVPacket &packet, bool has_frames) {
    const bool is_key = packet.flags & AV_PKT_FLAG_KEY, has_time = packet.pts != AV_NOPTS_VALUE;
    const bool is_shown = !(packet.flags & AV_PKT_FLAG_DISCARD); // an edit list may leave out the first ones
    if (is_shown && has_time && (earliest_ == AV_NOPTS_VALUE || packet.pts < earliest_)) earliest_ = packet.pts;
    if (state_ == State::unseen) {
        begins_without_key_ = !is_key;
        const bool is_joined =
            begins_without_key_ && may_be_joined_anywhere(format_) && !announces_key_picture(codec_, bytes_of(packet));
        state_ = is_joined ? State::forgiving : State::strict;
    }
    if (is_key && first_key_ == AV_NOPTS_VALUE) first_key_ = packet.pts;
    // Pictures after the first key picture that are shown before it may refer to what is not there.
    if (has_time && first_key_ != AV_NOPTS_VALUE && packet.pts < first_key_ && !has_frames) state_ = State::forgiving;
}

bool StreamStart::forgives(const AVFrame &damaged) const {
    return forgives() && (first_key_ == AV_NOPTS_VALUE || damaged.best_effort_timestamp < first_key_);
}

bool StreamStart::lacks_pictures_before(const AVFrame &first) const {
    return earliest_ != AV_NOPTS_VALUE && first.best_effort_timestamp > earliest_;
}

bool StreamStart::hides_damage_before(const AVFrame &first) const {
    return begins_without_key_ && !forgives() && lacks_pictures_before(first);
}

bool StreamStart::ends_at(const AVFrame &whole) {
    if (!forgives() || (first_key_ != AV_NOPTS_VALUE && whole.best_effort_timestamp <= first_key_)) return false;
    state_ = State::strict;
    return true;
}

std::optional<unsigned> chroma_of_mpeg2(const AVPacket &of) {
    const std::span<const std::uint8_t> packet = bytes_of(of);
    constexpr unsigned kExtension = 0xb5, kOfSequence = 1, kFirstSlice = 0x01, kLastSlice = 0xaf;
    for (std::size_t i = 0; i + 5 < packet.size(); i++) {
        if (packet[i] != 0 || packet[i + 1] != 0 || packet[i + 2] != 1) continue;
        const unsigned code = packet[i + 3];
        if (code >= kFirstSlice && code <= kLastSlice) return std::nullopt; // headers precede slices
        if (code == kExtension && packet[i + 4] >> 4 == kOfSequence) return packet[i + 5] >> 1 & 3;
    }
    return std::nullopt;
}

} // namespace vmaf::libav
