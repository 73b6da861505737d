// The interface between the definition and the fast versions of `vif`: one strip of rows of one scale.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "cpu/cpu.hpp"
#include "metrics/tiles.hpp"
#include "metrics/vif/vif.hpp"

namespace vmaf::vif {

// Reference and distorted image of a scale. Scale 0 is the picture itself, scales 1 to 3 are 16-bit images.
struct ScaleImages {
    const void *ref = nullptr, *dist = nullptr;
    std::ptrdiff_t ref_stride = 0, dist_stride = 0; // bytes
    unsigned bits = 16;                             // 8: bytes, else 16-bit samples
    int width = 0, height = 0;
};

inline constexpr int kNextScaleSlack = 32;

inline constexpr std::size_t kLimitsAtOnce = 2; // gain limits that one pass over the pixels can serve
struct GainLimits {
    std::array<double, kLimitsAtOnce> values = {100.0, 100.0};
    std::size_t count = 1;
};

struct Strip {
    int scale = 0;
    ScaleImages images;
    int first_row = 0, end_row = 0; // first_row is even
    bool statistics = true;         // false: only make the next scale's rows
    GainLimits limits;
    // Rows first_row / 2 ... of the next scale go here, relative to its row 0; null at the last scale. Up to
    // kNextScaleSlack samples beyond each row may be overwritten.
    std::uint16_t *next_ref = nullptr, *next_dist = nullptr;
    std::ptrdiff_t next_stride = 0; // samples
    // Means and variances of the reference, row by row (StripCode::half_row): to make for other encodes, or made by
    // another one. These strips need no next_ref, and do not touch the sums of the denominator.
    std::int32_t *half_to_make = nullptr;
    const std::int32_t *half_kept = nullptr;
    // Not null: adds the sums over each tile's pixels here, row by row of tiles.
    const TileGrid *tiles = nullptr;
    ScaleSums *tile_sums = nullptr;
};

// The tiles of a scale: their columns and rows there.
class ScaleTiles {
  public:
    ScaleTiles(const TileGrid &grid, int scale) : grid_(grid), scale_(scale) {}
    int columns() const { return grid_.columns(); }
    int first_column(int tile) const { return edge_below(grid_.x(tile), scale_); }
    // The tile row of an image row; call it in row order.
    int row_of(int y) {
        while (y >= edge_below(grid_.y(row_ + 1), scale_)) row_++;
        return row_;
    }

  private:
    const TileGrid &grid_;
    int scale_, row_ = 0;
};

// The sums over a strip. Only the numerator's logarithms depend on the gain limit.
struct StripSums {
    ScaleSums first;                 // with the first limit
    std::int64_t second_num_log = 0; // with the second one, if there are two

    ScaleSums of(std::size_t limit) const {
        ScaleSums sums = first;
        if (limit > 0) sums.num_log = second_num_log;
        return sums;
    }
    StripSums &operator+=(const StripSums &other) {
        first += other.first;
        second_num_log += other.second_num_log;
        return *this;
    }
};

// The working memory for strips of one picture size; for one thread at a time.
class StripWorker {
  public:
    virtual ~StripWorker() = default;
    virtual StripSums run(const Strip &strip) = 0;
    // Elements of a row of the reference's half; 0: strips of this scale can neither make nor use one.
    virtual std::size_t half_row(int scale) const {
        (void)scale;
        return 0;
    }
};

// `width` is that of scale 0.
std::unique_ptr<StripWorker> make_scalar_worker(int width);
std::unique_ptr<StripWorker> make_worker(int width, Isa isa);

// The vector code of one instruction set.
struct StripCode {
    StripSums (*run)(const Strip &strip, std::byte *scratch);
    bool (*wide_enough)(int scale, int width); // false: use scalar code for strips of this width
    std::size_t (*scratch_bytes)(int width);   // aligned to kAlignment
    std::size_t (*half_row)(int width);        // elements of a row of Strip::half_to_make
    // LG of 2.7 for 131072 <= z < 2^31, for tests; count is a multiple of 16.
    void (*logarithms)(const std::int32_t *z, int count, std::int32_t *out);
};
const StripCode *pick_strip_code(Isa isa); // null if there is none

// Scale 3 of pictures with a side of 8 to 15, where it has one row or one column (2.10). Also needs scale 2.
StripSums narrow_scale3_sums(const ScaleImages &scale2, const ScaleImages &scale3, const GainLimits &limits);

} // namespace vmaf::vif
