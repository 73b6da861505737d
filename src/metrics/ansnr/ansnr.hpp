// `float_ansnr`: signal-to-noise ratio between the slightly smoothed reference and the distorted picture, smoothed a
// little more (fidelity.md 5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "metrics/ansnr/ansnr_formula.hpp"
#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo float_ansnr_metric;

namespace ansnr {

// Three different rows of the 5x5 filter of the distorted picture; rows 3 and 4 are rows 1 and 0.
inline constexpr int kRows = 3, kColumns = 5, kRadius = 2;
inline constexpr std::array<std::array<float, kColumns>, kRows> kTaps = [] {
    std::array<std::array<float, kColumns>, kRows> taps{};
    for (int v = 0; v < kRows; v++)
        for (int u = 0; u < kColumns; u++)
            taps[std::size_t(v)][std::size_t(u)] =
                kernels::ansnr_tap(kRadius - v, u < kRadius ? kRadius - u : u - kRadius);
    return taps;
}();

constexpr int mirrored(int i, int n) { return kernels::ansnr_mirrored(i, n); }

// Scratch bytes for one call, aligned to kAlignment.
std::size_t scratch_bytes(int width);

// Sums of R * R and of (R - D) * (R - D) over each row begin <= y < end, from left to right in single precision, into
// signal[y] and noise[y].
template <class T>
using RowEnergies = void(const PlaneView<T> &ref, const PlaneView<T> &dist, unsigned bits, int begin, int end,
                         float *signal, float *noise, std::byte *scratch);

template <class T>
void row_energies(const PlaneView<T> &ref, const PlaneView<T> &dist, unsigned bits, int begin, int end, float *signal,
                  float *noise, std::byte *scratch);

template <class T> RowEnergies<T> *pick_row_energies(Isa isa);

// Passes the totals over rows to emit().
void store_energies(float signal, float noise, FrameResult &result);
// For a device; fills a FrameResult like the CPU's scorer.
std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, Device &device);

} // namespace ansnr

} // namespace vmaf
