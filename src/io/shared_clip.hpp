// A clip that several pairs read: every frame is decoded once for all. Frames that some pairs have taken and others
// have not are kept, a few at most, so the fastest of parallel pairs waits for the slowest; or all frames are, for
// pairs that come later. With a frame come the metric halves that depend on it alone.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/video_clip.hpp"
#include "metrics/reference_halves.hpp"

namespace vmaf {

class SharedClip {
  public:
    // All pairs run concurrently; each joins or leaves.
    explicit SharedClip(std::size_t pairs) : expected_(pairs) {}
    // Keeps every frame: pairs may come at any time.
    struct KeepsAll {};
    explicit SharedClip(KeepsAll) : expected_(0), keeps_all_(true) {}

    void expect_another(); // pair
    bool is_whole();       // every frame is made and kept
    void stop_keeping();   // frames that all pairs have are dropped, now and later

  private:
    friend class ClipTicket;
    static constexpr std::size_t kKept = 4; // in frames; pairs of temporal metrics hold two more

    class Reader;
    void leave();
    void end(std::uint64_t &position);
    std::optional<TimedFrame> next(std::uint64_t &position);
    void drop_what_all_have();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t expected_; // pairs that have neither joined nor left
    bool keeps_all_ = false, is_begun_ = false;
    std::string key_;
    std::unique_ptr<VideoClip> source_;            // until its end
    std::vector<const std::uint64_t *> positions_; // of the readers: the frame each wants next
    std::deque<TimedFrame> frames_;
    std::shared_ptr<HalfStore> halves_ = std::make_shared<HalfStore>();
    std::uint64_t first_ = 0; // the number of frames_[0]
    bool has_ended_ = false, is_making_ = false;
    std::exception_ptr error_;
};

// A pair's right to join, once. Leaves if unused.
class ClipTicket {
  public:
    explicit ClipTicket(std::shared_ptr<SharedClip> clip) : clip_(std::move(clip)) {}
    ~ClipTicket();
    ClipTicket(const ClipTicket &) = delete;
    ClipTicket &operator=(const ClipTicket &) = delete;

    // `key` identifies how frames are made; the first to join makes the clip. Null if the others' frames are made
    // differently: the pair then needs its own clip.
    std::unique_ptr<VideoClip> join(const std::string &key, const std::function<std::unique_ptr<VideoClip>()> &make);

  private:
    std::shared_ptr<SharedClip> clip_;
};

} // namespace vmaf
