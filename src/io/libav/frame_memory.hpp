// Memory of others for the frames that a decoder makes, so that a device can copy them from where they were decoded.
#pragma once

#include <memory>

#include "io/libav/libav.hpp"
#include "picture/pool.hpp"

namespace vmaf::libav {

class FrameMemory {
  public:
    explicit FrameMemory(PictureMemory memory);

    // Gives a frame its planes, as decoders ask for them (AVCodecContext::get_buffer2), from any thread. Blocks of
    // released frames serve the next. False: take the libraries' own memory.
    bool fill(AVCodecContext &context, AVFrame &frame) const noexcept;

  private:
    struct State; // outlives frames
    struct Block;
    std::shared_ptr<State> state_;
};

} // namespace vmaf::libav
