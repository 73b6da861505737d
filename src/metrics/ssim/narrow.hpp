// Sums of f32 products with the bits of the f64 sums that the definitions of `float_ms_ssim` prescribe, without f64.
//
// For a product p = RN(x g) take t = RN(x g + C), fused, with C so large that all t have one exponent: t - C is p on
// the grid of ulp(C), and l = p - (t - C) is exact. The bit patterns of the t are added as integers, the l in f32. As
// long as no product that is not 0 has its last bit more than 24 places below the sum of the l, all of that is exact,
// and RN(high + low) is the rounded sum. So non-zero inputs must not be too small, nor too large for C; what is outside
// of these limits is left to the f64 code, tile by tile.
//
// Only where vectors are long enough to have use for it (AVX-512): the functions are null elsewhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cpu/cpu.hpp"

namespace vmaf {

inline constexpr int kNarrowRows = 32;       // rows of terms of a tile
inline constexpr int kNarrowRowsAtOnce = 16; // rows of windows
inline constexpr int kNarrowSumLanes = 8;

// Sums of terms in any order, per lane.
struct NarrowTermSums {
    alignas(64) double contrast[kNarrowSumLanes] = {}, structure[kNarrowSumLanes] = {}, luminance[kNarrowSumLanes] = {};
};

struct NarrowWindows {
    // Windows along `count` rows (at most kNarrowRowsAtOnce) of a pair, a strip of at most kSsimStrip columns: columns
    // + 10 samples in, and as many rows of five channels out, kSsimStrip elements for each channel. False: the samples
    // do not lie within the limits, nothing was done.
    bool (*rows)(const float *const *a, const float *const *b, int count, int columns, float *out, float *scratch);
    // Whether `count` rows of windows are within the limits of `terms`.
    bool (*fit)(const float *rows, int count, int columns);
    // Windows down kNarrowRows rows, 10 of `above` and the rest in `rows`, and the terms of the first `count`.
    void (*terms)(const float *above, const float *rows, int columns, int count, bool luminance, NarrowTermSums &sums,
                  float *scratch);
    std::size_t scratch_size; // floats
};

inline constexpr int kNarrowBlock = 256; // output columns that are within the limits or not together

struct NarrowDecimation {
    // As DecimateFunctions' row_sums, to two numbers for each column, in groups of 16 and 16. `fits` is for each block.
    void (*row_sums)(const float *row, int width, int columns, bool odd, const std::array<float *, 3> &sums,
                     std::uint8_t *fits);
    void (*add_rows)(const std::array<const float *, 9> &sums, int columns, float *out);
};

namespace narrow {
const NarrowWindows &pick_windows(Isa isa);
const NarrowDecimation &pick_decimation(Isa isa);
} // namespace narrow

} // namespace vmaf
