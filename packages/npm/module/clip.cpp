// A single clip: to show its frames, or to score them against frames that a browser decoded.
#include <cstddef>
#include <optional>
#include <utility>

#include "calls.hpp"
#include "io/raw_reader.hpp"
#include "io/y4m_reader.hpp"
#include "picture/pool.hpp"

namespace vmaf {

std::unique_ptr<ClipReader> open_clip(int number, const char *name, const RawGeometry &geometry) {
    ByteSource source(number, "'" + std::string(name) + "'");
    if (geometry.bits) return std::make_unique<RawReader>(std::move(source), geometry);
    return std::make_unique<Y4mReader>(std::move(source));
}

PixelFormat pixel_format_of(int number) {
    switch (number) {
    case 420: return PixelFormat::yuv420p;
    case 422: return PixelFormat::yuv422p;
    case 444: return PixelFormat::yuv444p;
    case 400: return PixelFormat::yuv400p;
    default: throw invalid("unknown pixel format " + std::to_string(number) + "; use 420, 422, 444 or 400");
    }
}

RawGeometry geometry_of(int pixel_format, unsigned bits, unsigned width, unsigned height) {
    return {.pixel_format = bits ? pixel_format_of(pixel_format) : PixelFormat::unknown,
            .bits = bits,
            .width = width,
            .height = height};
}

namespace {

int number_of(PixelFormat format) {
    switch (format) {
    case PixelFormat::yuv420p: return 420;
    case PixelFormat::yuv422p: return 422;
    case PixelFormat::yuv444p: return 444;
    default: return 400;
    }
}

class Clip {
  public:
    explicit Clip(std::unique_ptr<ClipReader> reader)
        : reader_(std::move(reader)), pool_(reader_->format(), 1), picture_(pool_.fetch_or_add()) {}

    const ClipReader &reader() const { return *reader_; }
    const Picture &picture() const { return picture_; }
    bool read() { return reader_->read(picture_); }
    bool skip() { return reader_->skip(); }

  private:
    std::unique_ptr<ClipReader> reader_;
    PicturePool pool_;
    Picture picture_;
};

} // namespace
} // namespace vmaf

using vmaf::Clip, vmaf::guarded;

VMAF_EXPORT const char *module_error() { return vmaf::last_error.c_str(); }

// Null on failure.
VMAF_EXPORT Clip *clip_open(int file, const char *name, int pixel_format, unsigned bits, unsigned width,
                            unsigned height) {
    Clip *clip = nullptr;
    guarded(
        [&] { clip = new Clip(vmaf::open_clip(file, name, vmaf::geometry_of(pixel_format, bits, width, height))); });
    return clip;
}
VMAF_EXPORT void clip_delete(Clip *clip) { delete clip; }
VMAF_EXPORT unsigned clip_width(const Clip *clip) { return clip->reader().format().width; }
VMAF_EXPORT unsigned clip_height(const Clip *clip) { return clip->reader().format().height; }
VMAF_EXPORT unsigned clip_bits(const Clip *clip) { return clip->reader().format().bits; }
VMAF_EXPORT int clip_pixel_format(const Clip *clip) { return vmaf::number_of(clip->reader().format().pixel_format); }
VMAF_EXPORT double clip_frame_rate(const Clip *clip) { return clip->reader().frame_rate(); }
VMAF_EXPORT double clip_frames_left(const Clip *clip) {
    return static_cast<double>(clip->reader().frames_left().value_or(0));
}
VMAF_EXPORT int clip_read(Clip *clip) { // 1: a frame; 0: the end
    bool is_there = false;
    const int status = guarded([&] { is_there = clip->read(); });
    return status ? status : is_there;
}
VMAF_EXPORT int clip_skip(Clip *clip) { // like clip_read, without samples
    bool is_there = false;
    const int status = guarded([&] { is_there = clip->skip(); });
    return status ? status : is_there;
}
VMAF_EXPORT const std::byte *clip_plane(const Clip *clip, unsigned plane) { return clip->picture().data(plane); }
VMAF_EXPORT std::ptrdiff_t clip_stride(const Clip *clip, unsigned plane) { return clip->picture().stride_bytes(plane); }
