// Caller-provided memory for decoded frames, so that a device can copy them from where they were decoded.
#pragma once

#include <memory>

#include "io/libav/libav.hpp"
#include "picture/pool.hpp"

namespace vmaf::libav {

class FrameMemory {
  public:
    explicit FrameMemory(PictureMemory memory);

    // Allocates a frame's planes for decoders (AVCodecContext::get_buffer2), from any thread. Reuses blocks of released
    // frames. False: use the libraries' own memory.
    bool fill(AVCodecContext &context, AVFrame &frame) const noexcept;

  private:
    struct State; // outlives frames
    struct Block;
    std::shared_ptr<State> state_;
};

} // namespace vmaf::libav
