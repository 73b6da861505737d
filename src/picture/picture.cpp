#include "picture/picture.hpp"

#include "base/aligned.hpp"
#include "base/error.hpp"

namespace vmaf {

namespace {

constexpr unsigned kMaxSide = 32768;

class HostBuffer final : public PictureBuffer {
  public:
    explicit HostBuffer(const PictureFormat &f) : PictureBuffer(f) {
        const HostLayout layout = host_layout(f);
        block_ = AlignedArray<std::byte>(layout.bytes);
        for (unsigned p = 0; p < f.planes(); p++) {
            data[p] = block_.data() + layout.offset[p];
            stride[p] = static_cast<std::ptrdiff_t>(layout.stride[p]);
        }
    }

  private:
    AlignedArray<std::byte> block_;
};

} // namespace

unsigned PictureFormat::plane_width(unsigned plane) const {
    if (plane == 0) return width;
    switch (pixel_format) {
    case PixelFormat::yuv444p: return width;
    case PixelFormat::yuv420p:
    case PixelFormat::yuv422p: return width / 2;
    default: return 0;
    }
}

unsigned PictureFormat::plane_height(unsigned plane) const {
    if (plane == 0) return height;
    switch (pixel_format) {
    case PixelFormat::yuv444p:
    case PixelFormat::yuv422p: return height;
    case PixelFormat::yuv420p: return height / 2;
    default: return 0;
    }
}

std::string to_string(PixelFormat format) {
    switch (format) {
    case PixelFormat::yuv420p: return "4:2:0";
    case PixelFormat::yuv422p: return "4:2:2";
    case PixelFormat::yuv444p: return "4:4:4";
    case PixelFormat::yuv400p: return "4:0:0";
    default: return "unknown";
    }
}

void check_format(const PictureFormat &f) {
    if (f.pixel_format < PixelFormat::yuv420p || f.pixel_format > PixelFormat::yuv400p)
        throw invalid("unknown pixel format " + std::to_string(static_cast<int>(f.pixel_format)) +
                      "; pictures are 4:2:0, 4:2:2, 4:4:4 or 4:0:0");
    if (f.bits < 8 || f.bits > 16)
        throw invalid("bit depth " + std::to_string(f.bits) + " is not supported; use 8 to 16");
    if (f.width == 0 || f.height == 0 || f.width > kMaxSide || f.height > kMaxSide)
        throw invalid("picture size " + std::to_string(f.width) + "x" + std::to_string(f.height) +
                      " is not supported; sides must be 1 to " + std::to_string(kMaxSide));
}

HostLayout host_layout(const PictureFormat &f) {
    HostLayout layout;
    for (unsigned p = 0; p < f.planes(); p++) {
        layout.stride[p] = round_up<std::size_t>(f.plane_width(p), 32) * f.bytes_per_sample();
        layout.offset[p] = layout.bytes;
        layout.bytes += layout.stride[p] * f.plane_height(p);
    }
    return layout;
}

Picture Picture::allocate(const PictureFormat &format) {
    check_format(format);
    try {
        return Picture(new HostBuffer(format));
    } catch (const std::bad_alloc &) {
        throw Error(ENOMEM, "not enough memory for a picture of " + std::to_string(format.width) + "x" +
                                std::to_string(format.height));
    }
}

} // namespace vmaf
