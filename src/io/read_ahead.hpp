// Reads a clip on threads of its own, a few frames ahead of the consumer. Files are read by several threads, each
// frame straight to where it is wanted, small frames by the consumer; pipes by one.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "io/clip_reader.hpp"
#include "picture/pool.hpp"

namespace vmaf {

class ReadAhead {
  public:
    struct Config {
        unsigned bits = 0;         // of the pictures; 0: the clip's own
        bool has_chroma = true;    // false: pictures have no samples of chroma, and none are read
        unsigned frames_ahead = 1; // most that are read and not taken
        unsigned threads = 1;      // 0: the consumer reads files itself
        PictureMemory memory = host_memory();
    };
    ReadAhead(ClipReader &reader, const Config &config);
    ~ReadAhead(); // pictures taken stay valid
    ReadAhead(const ReadAhead &) = delete;
    ReadAhead &operator=(const ReadAhead &) = delete;

    // The next frame; an empty picture at the end of the clip. Throws what reading threw.
    Picture next();
    // How many pictures there are to read into.
    unsigned pictures() const { return pool_.size(); }

  private:
    void work();
    void claim_and_read(std::unique_lock<std::mutex> &lock, FrameLoader &loader);
    void read_frames(std::unique_lock<std::mutex> &lock);
    Picture read_one(std::unique_lock<std::mutex> &lock, FrameLoader &loader); // empty at the end
    void end_at(std::uint64_t frame, std::exception_ptr error);                // with the lock held

    ClipReader &reader_;
    const bool is_file_;
    const unsigned frames_ahead_;
    const bool is_mapped_; // frames are taken where they lie in the file, if they can be
    PicturePool pool_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t claimed_ = 0, taken_ = 0; // frames that a thread is at or has read; that were handed out
    std::uint64_t end_ = std::numeric_limits<std::uint64_t>::max(); // the first frame known not to be there
    std::exception_ptr error_;                                      // why, if the clip does not simply end
    std::map<std::uint64_t, Picture> ready_;
    bool is_stopping_ = false;
    std::optional<FrameLoader> own_loader_; // frames are read where they are taken, without threads
    std::vector<std::thread> threads_;
};

} // namespace vmaf
