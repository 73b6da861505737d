// A clip as it lies in a file or comes through a pipe: a format, and frames one after the other. What raw and YUV4MPEG2
// clips share; they differ in what stands before the samples of a frame.
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

    const std::string &name() const { return source_.name(); } // for sentences
    // Of the frames; the depth is the clip's own.
    const PictureFormat &format() const { return stored_.picture; }
    double frame_rate() const { return stored_.frame_rate; } // 0 where the clip does not say
    // Before the first read: the depth of the pictures to fill, where it is more than the clip's own, and whether they
    // have samples of chroma.
    void set_pictures(unsigned bits, bool has_chroma = true) { loader_ = FrameLoader(stored_, bits, has_chroma); }

    // The next frame. False at the end of the clip. Throws Error for data that cannot be a frame.
    bool read(const Picture &picture);
    // The same into a picture of the pool, which is asked for when there is a frame; an empty one at the end.
    Picture read(PicturePool &pool);
    // Drops a frame. False at the end of the clip, which a cut-off frame is too.
    bool skip();
    // How many frames are still to come, where that is known without reading them: exact, unless frames have
    // headers with parameters.
    std::optional<std::uint64_t> frames_left() const;

    // Files, other than pipes, are read by several threads: each frame is found in turn, then read at any time.
    bool is_file() const { return source_.position().has_value(); }
    struct Place {
        std::uint64_t frame = 0, offset = 0;
    };
    // Passes over the next frame. Returns nothing, or throws, where read() would; the samples are not looked at.
    std::optional<Place> find();
    // What reads frames; every thread has a copy.
    const FrameLoader &loader() const { return loader_; }
    // Throws Error where the file has become shorter.
    void read_at(const Place &place, const Picture &picture, FrameLoader &loader) const;

    // The same without a copy, where that is possible: a picture to be read only. Else an empty one.
    Picture map_at(const Place &place, const FrameLoader &loader) const { return loader.map_at(source_, place.offset); }
    // Throws Error where the file was written to since it was opened.
    void check_whole() const { source_.check_whole(); }

    // From another thread: ends a read that waits for data.
    void cancel() noexcept { source_.cancel(); }

  protected:
    // `header_bytes`: the least that stands before the samples of a frame.
    ClipReader(ByteSource source, const StoredFrame &stored, std::uint64_t header_bytes)
        : source_(std::move(source)), header_bytes_(header_bytes), stored_(stored),
          loader_(stored_, stored_.picture.bits) {}

    // Reads what stands before the samples of a frame. False at the end of the clip.
    virtual bool begin_frame(ByteSource &source, std::uint64_t frame) = 0;
    virtual const char *cut_off_advice() const = 0;

  private:
    bool begin();
    bool load(const Picture &picture);
    // What it means that only `got` bytes of a frame are there: the end, or an Error.
    void end_inside(std::uint64_t frame, std::uint64_t got) const;
    [[noreturn]] void rethrow(std::uint64_t frame, const Error &e) const; // naming the clip where a sample is bad

    ByteSource source_;
    const std::uint64_t header_bytes_;
    const StoredFrame stored_;
    FrameLoader loader_;
    std::uint64_t frames_ = 0; // that were read, found or dropped
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
