// Shared by CPU and device code of `float_ansnr` (fidelity.md 5).
#pragma once

#include "metrics/common/mirrored.hpp"

namespace vmaf {
namespace kernels {

// Asymmetric: the first sample is not repeated, the last one is.
VMAF_DEVICE_FN constexpr int ansnr_mirrored(int i, int n) { return mirrored<false, true>(i, n); }

// The 5x5 filter of the distorted picture, by distance from its centre. Taps are quotients rounded to single precision,
// equal to the double quotient rounded again.
VMAF_DEVICE_FN constexpr float ansnr_tap(int v, int u) {
    const int far = v > u ? v : u, near = v > u ? u : v;
    return far == 0   ? 127 / 571.0f
           : far == 1 ? (near == 0 ? 52 / 571.0f : 31 / 571.0f)
                      : (near == 0   ? 12 / 571.0f
                         : near == 1 ? 7 / 571.0f
                                     : 2 / 571.0f);
}

} // namespace kernels
} // namespace vmaf
