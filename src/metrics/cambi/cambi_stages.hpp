// Sections 5 to 9, stage by stage: from a luma plane to the pooled value of a scale.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "cpu/cpu.hpp"
#include "metrics/cambi/cambi_rows.hpp"
#include "metrics/cambi/cambi_setup.hpp"
#include "picture/picture.hpp"

namespace vmaf::cambi {

// Image and mask of one pass. The buffers keep the size of the first scale; later scales are written in place
// into the top-left width x height part, and the rest still holds finer scales (section 8, extreme aspect
// ratios).
struct Canvas {
    int full_width = 0, full_height = 0;
    int width = 0, height = 0; // of the current scale
    std::ptrdiff_t stride = 0; // samples between rows, for both
    std::uint16_t *image = nullptr;
    std::uint8_t *mask = nullptr; // 1: counts

    std::uint16_t *image_row(int y) const { return image + y * stride; }
    std::uint8_t *mask_row(int y) const { return mask + y * stride; }
};

// All working memory for scoring a plane; allocated once per thread.
class Workspace {
  public:
    Workspace(const Setup &setup, Isa isa);

    // Sections 5 to 7, and the speed-up's part of section 8: the canvas of the first scale.
    Canvas load(const Picture &picture, const Target &target, const Setup &setup);
    int width() const { return width_; } // of the widest canvas

    const RowFunctions &rows;
    std::ptrdiff_t row_stride;                 // of the row buffers, which are as wide as pictures
    AlignedArray<std::uint8_t> flat_rows;      // seven rows of Z
    AlignedArray<std::uint8_t> flat_totals;    // of their columns, with kFlatRadius zeros at both ends
    AlignedArray<std::uint16_t> filtered_rows; // three rows of the mode filter
    AlignedArray<int> columns;                 // source positions for resampling
    AlignedArray<float> c_values;              // of the current scale, rows without padding

  private:
    bool halved_; // pictures are halved while they are loaded
    int width_;
    std::ptrdiff_t stride_; // of the canvas
    AlignedArray<std::uint16_t> image_;
    AlignedArray<std::uint8_t> mask_;
    AlignedArray<std::uint16_t> passing_rows_; // while pictures are halved
};

// Source positions along one axis; the float accumulation is part of the definition (section 5).
class SourcePositions {
  public:
    SourcePositions(int source_size, int target_size)
        : last_(source_size - 1), ratio_(float(source_size) / float(target_size)),
          position_(float(double(ratio_ / 2.0f) - 0.5)) {}
    int next() {
        const int sample = std::min(int(double(position_) + 0.5), last_);
        position_ += ratio_;
        return sample;
    }

  private:
    int last_;
    float ratio_, position_;
};

inline constexpr int kFlatRadius = 3; // the mask uses squares of 7x7

// Section 7.
int mask_threshold(int width, int height);

// Section 8.
inline int half(int size) { return (size + 1) >> 1; }
void decimate(Canvas &canvas, const Workspace &room);
void mode_filter(const Canvas &canvas, Workspace &room);

// Section 8: the c-values of a canvas, rows begin <= y < end without padding; returns how many were written. `memory`
// has counts_bytes(), uninitialised.
enum class Wanted { all, not_zero }; // zeros may be dropped: most values are zero in most pictures
using CValues = std::size_t(const Canvas &canvas, int radius, const Setup &setup, int begin, int end, std::byte *memory,
                            float *c, Wanted wanted);
CValues scalar_c_values;
CValues *pick_c_values(Isa isa);
std::size_t counts_bytes(const Setup &setup, int width, Isa isa);
std::size_t scalar_counts_bytes(const Setup &setup, int width);

// Section 8: R[i], 1/i rounded to nine significant decimal digits, then to float.
inline constexpr std::size_t kReciprocals = kMaxWindow * kMaxWindow + 1;
const std::array<float, kReciprocals> &reciprocals();

// Section 9: the mean of the largest pixel values, which it may reorder. Empty if all values are needed, since the
// result depends on their order, but zeros were dropped.
using Pool = std::optional<double>(std::span<float> c_values, std::size_t pixels, double topk);
Pool scalar_pool;
Pool *pick_pool(Isa isa);
std::ptrdiff_t pooled_count(std::size_t values, double topk); // K

} // namespace vmaf::cambi
