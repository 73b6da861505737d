#include "support/clip.hpp"

#include "base/error.hpp"

namespace vmaf {

namespace {

PixelFormat pixel_format(const std::string &name) {
    if (name == "420") return PixelFormat::yuv420p;
    if (name == "422") return PixelFormat::yuv422p;
    if (name == "444") return PixelFormat::yuv444p;
    if (name == "400") return PixelFormat::yuv400p;
    throw invalid("clips are 420, 422, 444 or 400, not " + name);
}

template <class T> void copy_samples(const clipgen::Plane &from, const Picture &to, unsigned plane) {
    const PlaneView<T> view = to.plane<T>(plane);
    T *const data = reinterpret_cast<T *>(to.data(plane));
    const int bits = int(to.format().bits);
    for (int y = 0; y < view.height; y++)
        for (int x = 0; x < view.width; x++) data[y * view.stride + x] = T(clipgen::to_depth(from.at(x, y), bits));
}

} // namespace

Picture clip_frame(const clipgen::Options &clip, unsigned index) {
    const Picture picture = Picture::allocate(
        {pixel_format(clip.format), unsigned(clip.depth), unsigned(clip.width), unsigned(clip.height)});
    for (unsigned p = 0; p < picture.format().planes(); p++) {
        const clipgen::Plane plane = clipgen::frame_plane(clip, int(index), int(p));
        if (clip.depth > 8)
            copy_samples<std::uint16_t>(plane, picture, p);
        else
            copy_samples<std::uint8_t>(plane, picture, p);
    }
    return picture;
}

Picture street_frame(int depth, unsigned index, const std::string &distort) {
    clipgen::Options options;
    options.width = 352;
    options.height = 288;
    options.depth = depth;
    options.distort = distort;
    return clip_frame(options, index);
}

} // namespace vmaf
