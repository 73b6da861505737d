// Where a stream may start: broadcasts can be joined anywhere, files start at their beginning. Also, what headers state
// that decoders do not report.
#pragma once

#include <cstdint>
#include <optional>

extern "C" {
#include <libavcodec/packet.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
}

namespace vmaf::libav {

// A stream may begin with pictures whose references lie before its start: that is no damage, they are left out. So
// damage is forgiven from the first sign of such a start to the first picture after all that it can affect.
class StreamStart {
  public:
    StreamStart(const AVInputFormat &format, AVCodecID codec) : format_(format), codec_(codec) {}

    void saw_packet(const AVPacket &packet, bool has_frames); // in the order of decoding; `has_frames`: some are out
    bool forgives() const { return state_ == State::forgiving; }
    // What is shown from the first key picture on refers to nothing before it.
    bool forgives(const AVFrame &damaged) const;
    // The first frame that is whole is not the first that the stream has.
    bool lacks_pictures_before(const AVFrame &first) const;
    // Such a stream should have been whole: some decoders pass over what they cannot decode without a word.
    bool hides_damage_before(const AVFrame &first) const;
    // Frames come in order: once this one is out, what was decoded before is done. True when forgiving ends with it.
    bool ends_at(const AVFrame &whole);

  private:
    enum class State { unseen, strict, forgiving };

    const AVInputFormat &format_;
    const AVCodecID codec_;
    State state_ = State::unseen;
    bool begins_without_key_ = false;
    std::int64_t first_key_ = AV_NOPTS_VALUE, earliest_ = AV_NOPTS_VALUE; // times of packets
};

// How MPEG-2's chroma is sampled, where the packet states it: 1, 2, 3 for 4:2:0, 4:2:2, 4:4:4. FFmpeg's decoder looks
// at the first one only, and puts samples of another into the wrong places.
std::optional<unsigned> chroma_of_mpeg2(const AVPacket &packet);

} // namespace vmaf::libav
