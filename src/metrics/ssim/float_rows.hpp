// Luma rows as floats on the 8-bit scale (fidelity.md 1.3), from samples or from a reduced plane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "metrics/common/float_plane.hpp"
#include "metrics/ssim/ssim_formula.hpp"
#include "picture/picture.hpp"

namespace vmaf {

// A source of rows. Converts samples on demand: a float copy of a whole picture would cost more than the
// conversion.
class FloatRows {
  public:
    explicit FloatRows(const FloatPlane &plane)
        : data_(reinterpret_cast<const std::byte *>(plane.row(0))),
          stride_(plane.view().stride * std::ptrdiff_t(sizeof(float))), width_(plane.width()), height_(plane.height()) {
    }
    explicit FloatRows(const Picture &picture)
        : data_(picture.data(0)), stride_(picture.stride_bytes(0)), width_(int(picture.format().width)),
          height_(int(picture.format().height)), bits_(picture.format().bits) {}

    int width() const { return width_; }
    int height() const { return height_; }
    unsigned bits() const { return bits_; } // 0 for floats
    template <class T> const T *samples(int y) const { return reinterpret_cast<const T *>(data_ + y * stride_); }

    // Row y; `buffer` (width floats) is used where samples need conversion.
    const float *row(int y, float *buffer) const { return row(y, 0, width_, buffer); }
    // `count` of its samples from column `first` on.
    const float *row(int y, int first, int count, float *buffer) const {
        if (bits_ == 0) return samples<float>(y) + first;
        if (bits_ == 8)
            to_float_row(samples<std::uint8_t>(y) + first, count, bits_, 0.0f, buffer);
        else
            to_float_row(samples<std::uint16_t>(y) + first, count, bits_, 0.0f, buffer);
        return buffer;
    }

  private:
    const std::byte *data_;
    std::ptrdiff_t stride_; // bytes
    int width_, height_;
    unsigned bits_ = 0;
};

// Mirror with the border sample repeated, once (fidelity.md 7.1).
inline int mirrored(int i, int n) { return kernels::mirrored_index(i, n); }

} // namespace vmaf
