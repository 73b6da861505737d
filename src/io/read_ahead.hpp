// Reads a clip on a thread of its own, a few frames ahead of whoever takes them.
#pragma once

#include "io/clip_reader.hpp"
#include "io/frame_source.hpp"
#include "io/producer.hpp"
#include "picture/pool.hpp"

namespace vmaf {

class ReadAhead final : public FrameSource {
  public:
    // Pictures get `picture_bits`; at most `frames_ahead` of them wait to be taken.
    ReadAhead(ClipReader &reader, unsigned picture_bits, unsigned frames_ahead, PictureMemory memory = host_memory());

    Picture next() override { return producer_.next().value_or(Picture()); }
    unsigned pictures() const override { return pool_.size(); }

  private:
    PicturePool pool_;
    Producer<Picture> producer_; // stops before the pool goes; pictures taken stay valid
};

} // namespace vmaf
