#include "io/libav/access_points.hpp"

#include <algorithm>

namespace vmaf::libav {

namespace {

// ITU-T H.264 table 7-1, H.265 table 7-1.
constexpr unsigned kH264LastPicture = 5, kH264Idr = 5, kH264Sequence = 7, kH264PictureSet = 8;
constexpr unsigned kHevcLastPicture = 31, kHevcIdrWithLeading = 19, kHevcIdr = 20, kHevcVideo = 32, kHevcSequence = 33,
                   kHevcPictureSet = 34;
// Offsets of the number of length bytes, minus one, in the decoder configuration records of ISO/IEC 14496-15.
constexpr int kAvcLengthAt = 4, kHevcLengthAt = 21;

} // namespace

AccessPoints::AccessPoints(const AVCodecParameters &parameters) {
    const bool is_record = parameters.extradata_size > 0 && parameters.extradata[0] == 1;
    int length_at = 0;
    switch (parameters.codec_id) {
    case AV_CODEC_ID_H264:
        kind_ = Kind::h264;
        length_at = kAvcLengthAt;
        break;
    case AV_CODEC_ID_HEVC:
        kind_ = Kind::hevc;
        length_at = kHevcLengthAt;
        break;
    // A shown key frame replaces everything that later frames could refer to.
    case AV_CODEC_ID_AV1:
    case AV_CODEC_ID_VP9:
    case AV_CODEC_ID_VP8: kind_ = Kind::by_flag; break;
    default: break;
    }
    if (is_record && length_at > 0 && parameters.extradata_size > length_at)
        length_bytes_ = (parameters.extradata[length_at] & 3u) + 1;
}

void AccessPoints::look(const std::uint8_t *unit, std::size_t bytes, Found &found) const {
    if (bytes == 0) return;
    const bool is_hevc = kind_ == Kind::hevc;
    const unsigned type = is_hevc ? unit[0] >> 1 & 63 : unit[0] & 31;
    if (is_hevc) {
        if (type <= kHevcLastPicture && !found.has_picture) {
            found.has_picture = true;
            found.is_start = type == kHevcIdr || type == kHevcIdrWithLeading;
        }
        found.has_sequence |= type == kHevcSequence || type == kHevcVideo;
        found.has_picture_set |= type == kHevcPictureSet;
    } else {
        if (type >= 1 && type <= kH264LastPicture && !found.has_picture) {
            found.has_picture = true;
            found.is_start = type == kH264Idr;
        }
        found.has_sequence |= type == kH264Sequence;
        found.has_picture_set |= type == kH264PictureSet;
    }
}

AccessPoints::Found AccessPoints::look_into(const AVPacket &packet) const {
    Found found;
    const std::uint8_t *at = packet.data, *const end = packet.data + packet.size;
    if (length_bytes_ > 0) {
        while (static_cast<std::size_t>(end - at) > length_bytes_) {
            std::size_t bytes = 0;
            for (unsigned i = 0; i < length_bytes_; i++) bytes = bytes << 8 | *at++;
            bytes = std::min(bytes, static_cast<std::size_t>(end - at));
            look(at, bytes, found);
            at += bytes;
        }
        return found;
    }
    for (; end - at > 3; at++)
        if (at[0] == 0 && at[1] == 0 && at[2] == 1) look(at + 3, static_cast<std::size_t>(end - at - 3), found);
    return found;
}

bool AccessPoints::is_start(const AVPacket &packet) {
    const bool is_key = (packet.flags & AV_PKT_FLAG_KEY) != 0;
    if (kind_ == Kind::by_flag) return is_key;
    if (kind_ == Kind::unknown) return false;
    const Found found = look_into(packet);
    has_sets_among_packets_ |= found.has_sequence || found.has_picture_set;
    return is_key && found.is_start && (!has_sets_among_packets_ || (found.has_sequence && found.has_picture_set));
}

} // namespace vmaf::libav
