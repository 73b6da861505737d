// Carries decoded frames from a decoder's pipe to the scorer's, and on the way keeps them for later probes, skips some,
// or repeats others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread_group.hpp"
#include "stages/reference_store.hpp"
#include "system/descriptor.hpp"

namespace vmaf::tune {

using system::Descriptor;

class FrameFeed {
  public:
    struct Request {
        Descriptor from;
        std::size_t frame_bytes = 0;
        std::vector<std::int64_t> order; // ascending numbers of the frames to pass on; empty: all
        std::unique_ptr<ReferenceStore::Filling> keep;
    };
    explicit FrameFeed(Request request);
    ~FrameFeed() { output_.reset(); } // ends a blocked write
    FrameFeed(const FrameFeed &) = delete;
    FrameFeed &operator=(const FrameFeed &) = delete;

    Descriptor take_output() { return std::move(output_); } // closing it ends the feed
    void wait() { thread_.join(); }
    void keep_frames();                                       // the decoder ended well: kept frames are complete
    std::int64_t frames_seen() const { return frames_seen_; } // after wait()

  private:
    void work();

    Request request_;
    Descriptor output_, input_;
    std::int64_t frames_seen_ = 0;
    bool has_seen_all_ = false;
    ThreadGroup thread_; // last: uses everything above
};

} // namespace vmaf::tune
