#include "metrics/common/float_plane.hpp"

namespace vmaf {

template <class T> void to_float_row(const T *in, int width, unsigned bits, float offset, float *out) {
    const float scale = 1.0f / float(1u << (bits - 8)); // a power of two: multiplying is exact
    for (int x = 0; x < width; x++) out[x] = float(in[x]) * scale + offset;
}

template void to_float_row(const std::uint8_t *, int, unsigned, float, float *);
template void to_float_row(const std::uint16_t *, int, unsigned, float, float *);

namespace {

template <class T> void convert(const PlaneView<T> &in, unsigned bits, float offset, FloatPlane &out) {
    for (int y = 0; y < in.height; y++) to_float_row(in.row(y), in.width, bits, offset, out.row(y));
}

} // namespace

void to_float(const Picture &picture, unsigned plane, float offset, FloatPlane &out) {
    const unsigned bits = picture.format().bits;
    if (bits > 8)
        convert(picture.plane<std::uint16_t>(plane), bits, offset, out);
    else
        convert(picture.plane<std::uint8_t>(plane), bits, offset, out);
}

} // namespace vmaf
