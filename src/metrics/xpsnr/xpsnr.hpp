// `xpsnr`: PSNR whose squared errors are weighted per block by the inverse activity of the reference (xpsnr.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo xpsnr_metric;

namespace xpsnr {

// What follows from picture size and frame rate (2).
struct Plan {
    Plan() = default;
    Plan(const PictureFormat &format, double frame_rate);

    bool weighted() const { return block > 1; } // else the pictures are too small for weights (6.3)
    // Whether a plane's blocks have half the luma size.
    static bool halves_width(const PictureFormat &format, unsigned plane) {
        return plane > 0 && format.pixel_format != PixelFormat::yuv444p;
    }
    static bool halves_height(const PictureFormat &format, unsigned plane) {
        return plane > 0 && format.pixel_format == PixelFormat::yuv420p;
    }

    int width = 0, height = 0;
    int block = 1;             // side in luma samples
    int columns = 0, rows = 0; // of blocks
    int margin = 1; // samples at the picture's edges where the high-pass filter does not fit; 2: large picture
    bool second_order = false, smoothing = false;
    double factor = 0, least_activity = 0;
};

// Exact sums over a luma block.
struct BlockSums {
    std::uint64_t spatial = 0, temporal = 0, error = 0;
};

// Sections 3 to 5, for blocks in raster order.
void block_weights(const Plan &plan, std::span<const BlockSums> blocks, std::span<double> weights);

// 6: the weighted error of a plane. error(k, row, column) returns the sum over block k. A chroma plane has as many
// blocks as luma.
template <class Error>
std::uint64_t weighted_error(const Plan &plan, std::span<const double> weights, const Error &error) {
    double sum = 0.0;
    std::size_t k = 0;
    for (int row = 0; row < plan.rows; row++)
        for (int column = 0; column < plan.columns; column++, k++)
            sum += static_cast<double>(error(k, row, column)) * weights[k];
    return sum <= 0 ? 0 : static_cast<std::uint64_t>(sum * plan.factor + 0.5);
}

// |filter| of the luma samples begin <= x < end of a row, added to `columns`. `rows` are the rows that the filter sees,
// from above: 3, or 6 for large pictures, where only even columns are computed and those after `width` repeat the last
// one. `scratch` has 3 * scratch_stride(width) places; `columns` may be written kOverreadBytes after `end`.
template <class T>
using SpatialRow = void(const T *const *rows, int width, int begin, int end, std::int32_t *scratch,
                        std::uint32_t *columns);
// |temporal difference| of a row, or for large pictures of groups of 2x2 samples (even columns). `earlier` is null for
// first-order differences.
template <class T>
using TemporalRow = void(const T *const *now, const T *const *before, const T *const *earlier, int width,
                         std::int32_t *scratch, std::uint32_t *columns);

constexpr int scratch_stride(int width) { return (width + 64 + 15) / 16 * 16; }

template <class T>
void spatial_row(const T *const *rows, int width, int begin, int end, std::int32_t *scratch, std::uint32_t *columns);
template <class T>
void large_spatial_row(const T *const *rows, int width, int begin, int end, std::int32_t *scratch,
                       std::uint32_t *columns);
template <class T>
void temporal_row(const T *const *now, const T *const *before, const T *const *earlier, int width,
                  std::int32_t *scratch, std::uint32_t *columns);
template <class T>
void large_temporal_row(const T *const *now, const T *const *before, const T *const *earlier, int width,
                        std::int32_t *scratch, std::uint32_t *columns);

template <class T> SpatialRow<T> *pick_spatial_row(Isa isa, bool large);
template <class T> TemporalRow<T> *pick_temporal_row(Isa isa, bool large);

} // namespace xpsnr

} // namespace vmaf
