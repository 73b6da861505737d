// A clip as the tools see it: a format, and frames one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "picture/picture.hpp"

namespace vmaf {

class ClipReader {
  public:
    virtual ~ClipReader() = default;

    // Of the frames; the depth is the clip's own.
    virtual const PictureFormat &format() const = 0;
    // Before the first read: the depth of the pictures to fill, where it is more than the clip's own.
    virtual void set_picture_bits(unsigned bits) = 0;

    // The next frame. False at the end of the clip. Throws Error for data that cannot be a frame.
    virtual bool read(const Picture &picture) = 0;
    // Drops a frame. False at the end of the clip, which a cut-off frame is too.
    virtual bool skip() = 0;
    // How many frames are still to come, where that can be told without reading them.
    virtual std::optional<std::uint64_t> frames_left() const = 0;
    // Whether frames can also be reached in any order, by several threads at once, their luma as it is.
    virtual bool can_read_luma_at() const { return false; }
    // Luma of a frame, counted from the one that read() would give; false at the end of the clip. Throws what read()
    // would throw there. The picture may be empty for frames behind frames_left().
    virtual bool read_luma_at(std::uint64_t frame, const Picture &picture) const {
        (void)frame;
        (void)picture;
        return false;
    }
    // From another thread: ends a read that waits for data.
    virtual void cancel() noexcept = 0;
};

// What the four options of a raw clip say (cli-and-formats.md 10.4).
struct RawGeometry {
    PixelFormat pixel_format = PixelFormat::unknown;
    unsigned bits = 0;
    unsigned width = 0, height = 0;
};

// "-" is standard input. Both throw Error naming the path.
std::unique_ptr<ClipReader> open_raw_clip(const std::string &path, const RawGeometry &geometry);
std::unique_ptr<ClipReader> open_y4m_clip(const std::string &path);

} // namespace vmaf
