// Reads a clip on a thread of its own, a few frames ahead of whoever takes them.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "io/clip_reader.hpp"
#include "picture/pool.hpp"

namespace vmaf {

class ReadAhead {
  public:
    // Pictures get `picture_bits`; at most `frames_ahead` of them wait to be taken.
    ReadAhead(ClipReader &reader, unsigned picture_bits, unsigned frames_ahead);
    ~ReadAhead(); // stops reading; pictures taken stay valid

    // The next frame; an empty picture at the end of the clip. Throws what reading threw.
    Picture next();

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
