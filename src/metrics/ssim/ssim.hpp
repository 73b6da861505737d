// `ssim`: structural similarity of luma from integer moments, windows cut at the picture's edge (fidelity.md 11.1).
#pragma once

#include <array>
#include <cstdint>

#include "cpu/cpu.hpp"
#include "metrics/metric.hpp"
#include "metrics/ssim/ssim_formula.hpp"

namespace vmaf {

extern const MetricInfo ssim_metric;

inline constexpr int kMomentRadius = kernels::kMomentReach;
inline constexpr std::array<std::uint32_t, 2 *kMomentRadius + 1> kMomentTaps = [] {
    std::array<std::uint32_t, 2 * kMomentRadius + 1> taps{};
    for (int k = -kMomentRadius; k <= kMomentRadius; k++) taps[std::size_t(k + kMomentRadius)] = kernels::moment_tap(k);
    return taps;
}();

// (2^bits - 1)^2 in wrapping 32-bit arithmetic: -131071 at 16 bits.
double ssim_peak_squared(unsigned bits);
// The sum of the weights of all positions.
double ssim_total_weight(const PictureFormat &format);

// The rows of a window. Rows outside the picture have tap 0 and point to any row inside it.
template <class T> struct MomentRows {
    std::array<const T *, 9> ref, dist;
    std::array<std::uint32_t, 9> taps;
};

struct MomentParameters {
    int width;
    double peak_squared;          // as in 11.1
    double rows_weight;           // sum of the taps of the rows
    const double *columns_weight; // the same along the row, per column
};

struct MomentFunctions {
    static constexpr int kPad = 16; // zeros required before and after every scratch row
    // The weighted similarity at every position of a row; may write kOverreadBytes beyond it. `scratch` holds five rows
    // of width + 2 * kPad, rounded up to a multiple of 16, zero-filled at first; the padding stays zero.
    void (*row_u8)(const MomentRows<std::uint8_t> &rows, const MomentParameters &p, double *scratch, double *out);
    void (*row_u16)(const MomentRows<std::uint16_t> &rows, const MomentParameters &p, double *scratch, double *out);
};

extern const MomentFunctions moment_scalar;
const MomentFunctions &moment_functions(Isa isa);

} // namespace vmaf
