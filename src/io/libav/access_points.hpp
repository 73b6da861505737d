// Whether decoding can start at a packet as if the stream did.
#pragma once

#include "io/libav/libav.hpp"

namespace vmaf::libav {

class AccessPoints {
  public:
    explicit AccessPoints(const AVCodecParameters &parameters);

    // Whether the guarantees of this codec's key frames are known.
    bool is_known() const { return kind_ != Kind::unknown; }

    // Call it for every packet, in order. True: no later packet refers to anything earlier, and this one contains
    // the parameter sets, unless only the file's header has them. Check times for pictures shown before the packet's
    // own.
    bool is_start(const AVPacket &packet);

  private:
    enum class Kind { unknown, h264, hevc, by_flag };
    struct Found {
        bool has_picture = false, is_start = false; // is_start: the first picture resets the decoder
        bool has_sequence = false, has_picture_set = false;
    };
    void look(const std::uint8_t *unit, std::size_t bytes, Found &found) const;
    Found look_into(const AVPacket &packet) const;

    Kind kind_ = Kind::unknown;
    unsigned length_bytes_ = 0; // of the lengths before units; 0: start codes instead
    bool has_sets_among_packets_ = false;
};

} // namespace vmaf::libav
