// Scaling of float planes (speed.md 4.1, vif.md 3.3, motion.md 3.5). No method filters before reducing.
#pragma once

#include <string_view>
#include <vector>

#include "metrics/common/float_plane.hpp"
#include "metrics/common/resize_taps.hpp"

namespace vmaf {

enum class ResizeMethod { nearest, bilinear, bicubic, lanczos4 };

// Throws Error with the metric and option for an unknown name.
ResizeMethod resize_method(std::string_view metric, std::string_view option, std::string_view name);

// Scales planes of one size to another; computes positions and weights once.
class Resizer {
  public:
    // Throws Error if the source is too small for the method's window.
    Resizer(int in_width, int in_height, int out_width, int out_height, ResizeMethod method);

    void row(const PlaneView<float> &in, int y, float *out) const;
    void plane(const PlaneView<float> &in, FloatPlane &out) const; // `out` must have the output size

    // For device code; empty if the plane is copied.
    const std::vector<ResizeTaps> &columns() const { return columns_; }
    const std::vector<ResizeTaps> &rows() const { return rows_; }

  private:
    using Taps = ResizeTaps;
    Taps taps_at(int position, int out_length, int in_length) const;
    void bilinear_row(const PlaneView<float> &in, const Taps &vertical, float *out) const;
    template <int Count, bool Normalise>
    void kernel_row(const PlaneView<float> &in, const Taps &vertical, float *out) const;

    bool same_size_; // copies the plane, with any method
    ResizeMethod method_;
    std::vector<Taps> columns_, rows_;
};

} // namespace vmaf
