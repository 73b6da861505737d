// Reads a clip on a thread of its own, a few frames ahead of whoever takes them.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "io/clip_reader.hpp"
#include "io/frame_source.hpp"
#include "picture/pool.hpp"

namespace vmaf {

class ReadAhead final : public FrameSource {
  public:
    // Pictures get `picture_bits`; at most `frames_ahead` of them wait to be taken.
    ReadAhead(ClipReader &reader, unsigned picture_bits, unsigned frames_ahead, PictureMemory memory = host_memory());
    ~ReadAhead() override; // stops reading; pictures taken stay valid

    Picture next() override;
    unsigned pictures() const override { return pool_.size(); }

  private:
    void work();

    ClipReader &reader_;
    PicturePool pool_;
    const std::size_t frames_ahead_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Picture> ready_;
    bool ended_ = false, stopping_ = false;
    std::exception_ptr error_;
    std::thread thread_;
};

} // namespace vmaf
