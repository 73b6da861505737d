// A clip in a file or from a pipe: a format and consecutive frames. Shared by raw and YUV4MPEG2 clips, which differ in
// the header of a frame.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "io/byte_source.hpp"
#include "io/stored_frame.hpp"
#include "picture/picture.hpp"
#include "picture/pool.hpp"

namespace vmaf {

class ClipReader {
  public:
    virtual ~ClipReader() = default;

    const std::string &name() const { return source_.name(); } // for messages
    // The format of the pictures, with the clip's own depth.
    const PictureFormat &format() const { return stored_.picture; }
    // The size of frames in the file, and the part of them that is read.
    ChromaSize frame_size() const { return stored_.plane_size(0); }
    Crop part() const { return {stored_.picture.width, stored_.picture.height, stored_.x, stored_.y}; }
    double frame_rate() const { return stored_.frame_rate; } // 0 if unknown
    // Call both before the first read, crop() first. Only this part of the frames is read. Throws Error.
    void crop(const Crop &part) {
        stored_.crop(part, name());
        set_pictures(stored_.picture.bits);
    }
    // The depth of the pictures to fill, if above the clip's, and whether they have chroma.
    void set_pictures(unsigned bits, bool has_chroma = true) { loader_ = FrameLoader(stored_, bits, has_chroma); }

    // The next frame. False at the end of the clip. Throws Error for malformed data.
    bool read(const Picture &picture);
    // The same into a picture of the pool, fetched once there is a frame; empty at the end.
    Picture read(PicturePool &pool);
    // Skips a frame. False at the end of the clip, including a truncated frame.
    bool skip();
    // The number of remaining frames, if known without reading them: exact, unless frame headers have
    // parameters.
    std::optional<std::uint64_t> frames_left() const;

    // Several threads read files (not pipes): each frame is located in order, then read at any time.
    bool is_file() const { return source_.position().has_value(); }
    struct Place {
        std::uint64_t frame = 0, offset = 0;
    };
    // Skips the next frame. Returns empty, or throws, as read() would; does not check the samples.
    std::optional<Place> find();
    // Reads frames; each thread has a copy.
    const FrameLoader &loader() const { return loader_; }
    // Throws Error if the file has become shorter.
    void read_at(const Place &place, const Picture &picture, FrameLoader &loader) const;

    // The same without a copy if possible: a read-only picture, otherwise an empty one.
    Picture map_at(const Place &place, const FrameLoader &loader) const { return loader.map_at(source_, place.offset); }
    // Throws Error if the file was written to since it was opened.
    void check_whole() const { source_.check_whole(); }

    // Call it from another thread: ends a read that waits for data.
    void cancel() noexcept { source_.cancel(); }

    virtual const char *container() const = 0; // FFmpeg's name

  protected:
    // `header_bytes`: the smallest header of a frame.
    ClipReader(ByteSource source, const StoredFrame &stored, std::uint64_t header_bytes)
        : source_(std::move(source)), header_bytes_(header_bytes), stored_(stored),
          loader_(stored_, stored_.picture.bits) {}

    // Reads the header of a frame. False at the end of the clip.
    virtual bool begin_frame(ByteSource &source, std::uint64_t frame) = 0;
    virtual const char *cut_off_advice() const = 0;

  private:
    bool begin();
    bool load(const Picture &picture);
    // Handles a frame of which only `got` bytes exist: the end, or an Error.
    void end_inside(std::uint64_t frame, std::uint64_t got) const;
    [[noreturn]] void rethrow(std::uint64_t frame, const Error &e) const; // adds the clip's name for a bad sample

    ByteSource source_;
    const std::uint64_t header_bytes_;
    StoredFrame stored_;
    FrameLoader loader_;
    std::uint64_t frames_ = 0; // read, located or skipped
};

// The four options of a raw clip (cli-and-formats.md 10.4).
struct RawGeometry {
    PixelFormat pixel_format = PixelFormat::unknown;
    unsigned bits = 0;
    unsigned width = 0, height = 0;
};

// "-" is standard input. Both throw Error with the path.
std::unique_ptr<ClipReader> open_raw_clip(const std::string &path, const RawGeometry &geometry);
std::unique_ptr<ClipReader> open_y4m_clip(const std::string &path);

} // namespace vmaf
