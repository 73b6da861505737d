// Separable filters of float planes. Scores depend on the order of operations (vif.md 3.5, speed.md 4.3, motion.md
// 3.3): per output acc = 0, then acc = acc + tap[k] * sample[k] for ascending k, rounding product and sum.
#pragma once

#include <span>
#include <vector>

#include "metrics/common/float_plane.hpp"

namespace vmaf {

// Gaussian taps of an odd length, normalised to a float sum of 1 (vif.md 3.4, speed.md 4.2).
std::vector<float> gaussian_taps(int length, float sigma);

// Length of the Gaussian of pyramid level `level`: 2^(4-level) + 1 samples, scaled, made odd, at least 3.
int gaussian_length(int level, float kernel_scale);

// Whether a kernel scale is within 0.001 of one of the 21 allowed values.
bool kernel_scale_allowed(float scale);

// sums[x] = taps[0] * rows[0][x] + taps[1] * rows[1][x] + ...
void filter_rows(const float *const *rows, std::span<const float> taps, int width, float *sums);

// The same over rows of a plane centred on `centre`, reflected at top and bottom; at most kMaxFilterTaps.
inline constexpr int kMaxFilterTaps = 65;
void vertical_pass(const PlaneView<float> &in, std::span<const float> taps, int centre, float *sums);

// Writes `radius` reflected samples before line[0] and after line[width - 1].
void extend_line(float *line, int width, int radius);

// out[x] is centred on line[x * step]; the line is extended by half the filter's length on both sides.
void horizontal_pass(const float *line, std::span<const float> taps, int step, int out_width, float *out);

// A filter for planes of one width. Vertical pass first; keeps samples at multiples of `step`.
class FloatFilter {
  public:
    FloatFilter(std::vector<float> taps, int width);

    void row(const PlaneView<float> &in, int y, int step, int out_width, float *out);
    void plane(const PlaneView<float> &in, int step, FloatPlane &out);
    std::span<const float> taps() const { return taps_; }

  private:
    std::vector<float> taps_;
    int left_;                 // samples before the line: the radius, rounded up to keep the line aligned
    AlignedArray<float> line_; // a row between the passes
};

} // namespace vmaf
