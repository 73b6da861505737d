// One of two video files, ready to be paired: pictures in the common format, with times and thumbnails, made ahead of
// the consumer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "io/alignment.hpp"
#include "io/video_file.hpp"
#include "picture/pool.hpp"

namespace vmaf {

class ReferenceHalves;

inline constexpr std::int64_t kIndexInterval = 1'000'000'000 / 25; // any value works when frames are paired by number

struct TimedFrame {
    Picture picture;
    std::int64_t time = 0;
    LumaSignature signature;
    std::shared_ptr<ReferenceHalves> halves{}; // of a reference that several pairs read
};

// Presentation times of a clip's frames, relative to the first used frame.
class ClipTimes {
  public:
    explicit ClipTimes(std::int64_t shift = 0, bool is_by_index = false) : shift_(shift), is_by_index_(is_by_index) {}
    std::int64_t next(std::int64_t time) {
        if (!start_) start_ = time;
        return (is_by_index_ ? index_++ * kIndexInterval : time - *start_) + shift_;
    }

  private:
    std::int64_t shift_;
    bool is_by_index_;
    std::optional<std::int64_t> start_;
    std::int64_t index_ = 0;
};

class VideoClip {
  public:
    virtual ~VideoClip() = default;
    // Empty at the end. Throws Error.
    virtual std::optional<TimedFrame> next() = 0;
};

struct ClipUse {
    std::string name; // for messages
    PictureFormat picture;
    PictureMemory memory;
    std::uint64_t skip = 0; // in frames
    ClipTimes times;
    unsigned ahead = 1;
};
// Decodes and stores frames in host memory, in a background thread.
std::unique_ptr<VideoClip> make_host_clip(std::unique_ptr<VideoFile> file, const ClipUse &use);

} // namespace vmaf
