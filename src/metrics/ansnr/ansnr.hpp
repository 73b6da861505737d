// `float_ansnr`: signal-to-noise ratio between the reference smoothed a little and the distorted picture smoothed a
// little more (fidelity.md 5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo float_ansnr_metric;

namespace ansnr {

// Three different rows of the 5x5 filter of the distorted picture; rows 3 and 4 are rows 1 and 0. Every tap is the
// double quotient rounded to single precision.
inline constexpr int kRows = 3, kColumns = 5, kRadius = 2;
inline constexpr std::array<std::array<float, kColumns>, kRows> kTaps = [] {
    constexpr int kNumerators[kRows][kColumns] = {{2, 7, 12, 7, 2}, {7, 31, 52, 31, 7}, {12, 52, 127, 52, 12}};
    std::array<std::array<float, kColumns>, kRows> taps{};
    for (int v = 0; v < kRows; v++)
        for (int u = 0; u < kColumns; u++) taps[std::size_t(v)][std::size_t(u)] = float(kNumerators[v][u] / 571.0);
    return taps;
}();

// Asymmetric: the first sample is not repeated, the last one is.
constexpr int mirrored(int i, int n) { return i < 0 ? -i : i >= n ? 2 * n - i - 1 : i; }

// Bytes of working memory that one call needs, aligned to kAlignment.
std::size_t scratch_bytes(int width);

// Sums of R * R and of (R - D) * (R - D) over each row begin <= y < end, from left to right in single precision, to
// signal[y] and noise[y].
template <class T>
using RowEnergies = void(const PlaneView<T> &ref, const PlaneView<T> &dist, unsigned bits, int begin, int end,
                         float *signal, float *noise, std::byte *scratch);

template <class T>
void row_energies(const PlaneView<T> &ref, const PlaneView<T> &dist, unsigned bits, int begin, int end, float *signal,
                  float *noise, std::byte *scratch);

template <class T> RowEnergies<T> *pick_row_energies(Isa isa);

} // namespace ansnr

} // namespace vmaf
