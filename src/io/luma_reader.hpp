// Reads the luma planes of a clip with several threads, each frame straight to where it is wanted, and hands them out
// in order: for devices, which need nothing else and take frames faster than one thread can read.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "io/clip_reader.hpp"
#include "io/frame_source.hpp"
#include "picture/pool.hpp"

namespace vmaf {

class LumaReader final : public FrameSource {
  public:
    // The clip can_read_luma_at(). Pictures have no chroma samples.
    LumaReader(const ClipReader &reader, PictureMemory memory, unsigned threads);
    ~LumaReader() override; // pictures taken stay valid

    Picture next() override;
    unsigned pictures() const override { return pool_.size(); }

  private:
    void work();
    void end_at(std::uint64_t frame, std::exception_ptr error); // with the lock held

    const ClipReader &reader_;
    PicturePool pool_;
    const std::uint64_t frames_; // whole ones that the clip has
    const std::uint64_t frames_ahead_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t claimed_ = 0, taken_ = 0; // frames that a thread is at or has read; that were handed out
    std::uint64_t end_ = std::numeric_limits<std::uint64_t>::max(); // the first frame known not to be there
    std::exception_ptr error_;                                      // why, if the clip does not simply end
    std::map<std::uint64_t, Picture> ready_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

} // namespace vmaf
