// Chroma at luma resolution, as `ciede` defines it (fidelity.md 10.1).
#pragma once

#include <algorithm>

#include "base/aligned.hpp"
#include "picture/picture.hpp"

namespace vmaf {

// The rows of both chroma planes for one luma row. 4:2:2 halves rows instead of columns, and odd sizes in 4:2:0 read
// one sample or row too far: they find what a canonical layout has there (pitches that are multiples of 32 samples,
// zeros between the rows, Cr directly after Cb and zeros after Cr).
template <class T> class ChromaRows {
  public:
    explicit ChromaRows(int width) : cb_(std::size_t(width)), cr_(std::size_t(width)), width_(width) {}

    void forget() { filled_from_ = -1; } // before another picture

    // Prepares luma row `y`; cb() and cr() are valid until the next call.
    void select(const Picture &picture, int y) {
        if (picture.format().pixel_format == PixelFormat::yuv444p) {
            selected_cb_ = picture.plane<T>(1).row(y);
            selected_cr_ = picture.plane<T>(2).row(y);
            return;
        }
        selected_cb_ = cb_.data();
        selected_cr_ = cr_.data();
        if (filled_from_ == y / 2) return;
        filled_from_ = y / 2;
        const PlaneView<T> cb = picture.plane<T>(1), cr = picture.plane<T>(2);
        fill(cb, &cr, y / 2, picture.format().pixel_format, cb_.data());
        fill(cr, nullptr, y / 2, picture.format().pixel_format, cr_.data());
    }
    const T *cb() const { return selected_cb_; }
    const T *cr() const { return selected_cr_; }

  private:
    void fill(const PlaneView<T> &plane, const PlaneView<T> *behind, int row, PixelFormat format, T *out) const {
        const bool doubled = format == PixelFormat::yuv420p;
        const int inside =
            row < plane.height ? (doubled ? 2 * std::min(plane.width, width_ / 2) : std::min(plane.width, width_)) : 0;
        if (inside > 0) {
            const T *in = plane.row(row);
            if (doubled) {
                for (int x = 0; x < inside / 2; x++) out[2 * x] = out[2 * x + 1] = in[x];
            } else {
                std::copy_n(in, inside, out);
            }
        }
        for (int x = inside; x < width_; x++) out[x] = canonical(plane, behind, row, doubled ? x / 2 : x);
    }

    static T canonical(const PlaneView<T> &plane, const PlaneView<T> *behind, int row, int column) {
        const int pitch = round_up(plane.width, 32);
        if (pitch == 0) return 0;
        row += column / pitch;
        column %= pitch;
        if (row >= plane.height) return behind ? canonical(*behind, nullptr, row - plane.height, column) : T(0);
        return column < plane.width ? plane.row(row)[column] : T(0);
    }

    AlignedArray<T> cb_, cr_;
    int width_;
    int filled_from_ = -1;
    const T *selected_cb_ = nullptr, *selected_cr_ = nullptr;
};

} // namespace vmaf
