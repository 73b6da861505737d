// Sums of tiles for metrics without integer sums (maps.md 6).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "metrics/tiles.hpp"

namespace vmaf {

// Sums terms per tile as bits of doubles (Metric::has_real_tiles), row by row of samples.
class RealTiles {
  public:
    // An axis of samples: sample i is at luma pixel i * numerator / denominator + shift.
    struct Axis {
        int samples = 0;
        std::int64_t numerator = 1, denominator = 1, shift = 0;

        // Samples that are spread over `pixels`.
        static Axis spread(int samples, std::int64_t pixels) { return {samples, pixels, samples, 0}; }
        int pixel(int sample) const { return int(sample * numerator / denominator + shift); }
    };
    // The first sample of each column or row of tiles, then the number of samples.
    static std::vector<int> columns_of(const TileGrid &grid, const Axis &across);
    static std::vector<int> rows_of(const TileGrid &grid, const Axis &down);

    // `tiles`: `stride` words per tile; the one at `first` is this sum, the next one the number of
    // samples.
    RealTiles(const TileGrid &grid, const Axis &across, const Axis &down, std::vector<std::int64_t> &tiles,
              std::size_t stride, std::size_t first = 0);

    // `at`: offset from `first`, for another sum of the same samples.
    template <class T> void add_row(int y, const T *terms, std::size_t at = 0) {
        std::int64_t *const row = tiles_ + row_of_[std::size_t(y)] * std::ptrdiff_t(columns_ * stride_);
        for (std::size_t tile = 0; tile < columns_; tile++) {
            double sum = 0;
            for (int x = begin_[tile]; x < begin_[tile + 1]; x++) sum += double(terms[x]);
            add(row[tile * stride_ + at], sum);
            add(row[tile * stride_ + at + 1], double(begin_[tile + 1] - begin_[tile]));
        }
    }

  private:
    static void add(std::int64_t &word, double value) {
        word = std::bit_cast<std::int64_t>(std::bit_cast<double>(word) + value);
    }

    std::int64_t *tiles_;
    std::size_t columns_, stride_;
    std::vector<int> begin_, row_of_;
};

} // namespace vmaf
