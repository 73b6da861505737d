// Single-precision planes for the float metrics.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/aligned.hpp"
#include "picture/picture.hpp"

namespace vmaf {

// Rows are aligned for vectors and may be over-read like rows of pictures.
class FloatPlane {
  public:
    FloatPlane() = default;
    FloatPlane(int width, int height)
        : width_(width), height_(height), stride_(round_up<std::ptrdiff_t>(width, kAlignment / sizeof(float))),
          samples_(std::size_t(stride_) * std::size_t(height)) {}

    int width() const { return width_; }
    int height() const { return height_; }
    float *row(int y) { return samples_.data() + y * stride_; }
    const float *row(int y) const { return samples_.data() + y * stride_; }
    PlaneView<float> view() const { return {samples_.data(), stride_, width_, height_}; }

  private:
    int width_ = 0, height_ = 0;
    std::ptrdiff_t stride_ = 0;
    AlignedArray<float> samples_;
};

// out[x] = in[x] / 2^(bits - 8) + offset, exact for every depth (vif.md 3.2, motion.md 3.2, adm.md 4.3, fidelity.md
// 1.3). Depths other than 8, 10, 12 and 16 are scaled the same way.
template <class T> void to_float_row(const T *in, int width, unsigned bits, float offset, float *out);
extern template void to_float_row(const std::uint8_t *, int, unsigned, float, float *);
extern template void to_float_row(const std::uint16_t *, int, unsigned, float, float *);

// `out` must have the size of the plane.
void to_float(const Picture &picture, unsigned plane, float offset, FloatPlane &out);

} // namespace vmaf
