// Whether decoding can begin at a packet as if the stream did.
#pragma once

#include "io/libav/libav.hpp"

namespace vmaf::libav {

class AccessPoints {
  public:
    explicit AccessPoints(const AVCodecParameters &parameters);

    // For codecs of which it is known what a key frame promises.
    bool is_known() const { return kind_ != Kind::unknown; }

    // To be called for every packet, in order. True: nothing after this packet refers to anything before it, and it
    // brings what decoders must know (parameter sets) unless that stands in the file's header alone. Pictures that are
    // shown before the packet's own must be looked for by their times.
    bool is_start(const AVPacket &packet);

  private:
    enum class Kind { unknown, h264, hevc, by_flag };
    struct Found {
        bool has_picture = false, is_start = false; // the first picture is one that resets the decoder
        bool has_sequence = false, has_picture_set = false;
    };
    void look(const std::uint8_t *unit, std::size_t bytes, Found &found) const;
    Found look_into(const AVPacket &packet) const;

    Kind kind_ = Kind::unknown;
    unsigned length_bytes_ = 0; // of the lengths before units; 0: they stand between start codes
    bool has_sets_among_packets_ = false;
};

} // namespace vmaf::libav
