// Sections 5 to 9, stage by stage: from a luma plane to the pooled value of a scale. The functions here are the scalar
// reference; faster ones replace entries of Stages.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/aligned.hpp"
#include "metrics/cambi/cambi_setup.hpp"
#include "picture/picture.hpp"

namespace vmaf::cambi {

// Image and mask of one pass. The buffers keep the full target size; every scale is written in place into the top-left
// width x height part, and what lies outside is left over from finer scales (section 8, extreme aspect ratios).
struct Canvas {
    int full_width = 0, full_height = 0;
    int width = 0, height = 0; // of the current scale
    std::ptrdiff_t stride = 0; // samples between rows, of both
    std::uint16_t *image = nullptr;
    std::uint8_t *mask = nullptr; // 1: looked at

    std::uint16_t *image_row(int y) const { return image + y * stride; }
    std::uint8_t *mask_row(int y) const { return mask + y * stride; }
};

// Room for everything that scoring a plane needs; allocated once per thread.
class Workspace {
  public:
    explicit Workspace(const Setup &setup);

    // A canvas of the target's size in this room; its contents are not defined.
    Canvas canvas(const Target &target);

    AlignedArray<std::uint8_t> flat_row;       // one row of Z with kFlatRadius zeros on each side
    AlignedArray<std::uint8_t> flat_counts;    // seven rows of partial sums and their total
    AlignedArray<std::uint16_t> filtered_rows; // three rows of the mode filter
    AlignedArray<std::uint16_t> counts;        // window counts, level after level
    AlignedArray<float> c_values;              // of the current scale, row after row without gaps
    AlignedArray<int> columns;                 // source positions for resampling
    std::ptrdiff_t row_stride = 0;             // of the row buffers, and of a level in `counts`

  private:
    AlignedArray<std::uint16_t> image_;
    AlignedArray<std::uint8_t> mask_;
};

inline constexpr int kFlatRadius = 3; // the mask looks at squares of 7x7

// Section 5. Throws Error if a sample exceeds the depth.
void load_luma(const Picture &picture, Canvas &canvas, Workspace &room);

// Section 6, in place.
void remove_dither(const Canvas &canvas);

// Section 7.
int mask_threshold(int width, int height);
void compute_mask(const Canvas &canvas, Workspace &room);

// Section 8.
void decimate(Canvas &canvas);
void mode_filter(const Canvas &canvas, Workspace &room);
void compute_c_values(const Canvas &canvas, int radius, const Setup &setup, Workspace &room);

// Section 8: R[i], 1/i rounded to nine significant decimal digits, then to float.
inline constexpr std::size_t kReciprocals = kMaxWindow * kMaxWindow + 1;
const std::array<float, kReciprocals> &reciprocals();

// Section 9: the mean of the largest values, which it reorders.
double pool(std::span<float> c_values, double topk);

} // namespace vmaf::cambi
