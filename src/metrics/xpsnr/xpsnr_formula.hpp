// The activity at one position (xpsnr.md 3 and 4), shared by CPU and device code, in the dialect of
// device/kernel.hpp.
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

// 3.1. at(x, y): the samples around a position, -1 <= x, y <= 1.
template <class At> VMAF_DEVICE_FN int xpsnr_high_pass(const At &at) {
    const int cross = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1);
    const int corners = at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1);
    return 12 * at(0, 0) - 2 * cross - corners;
}

// 3.2, by the distances from the nearer edge of the window.
VMAF_DEVICE_FN constexpr int xpsnr_large_tap(int i, int j) {
    const int u = i < 3 ? i : 5 - i, v = j < 3 ? j : 5 - j;
    return u == 2 && v == 2 ? 12 : u + v == 0 ? 0 : u == 0 || v == 0 ? -1 : u + v == 2 ? -2 : -3;
}
// at(x, y): 0 <= x, y < 6, the window around a group of 2x2 samples.
template <class At> VMAF_DEVICE_FN int xpsnr_large_high_pass(const At &at) {
    int sum = 0;
    VMAF_UNROLL
    for (int j = 0; j < 6; j++) {
        VMAF_UNROLL
        for (int i = 0; i < 6; i++) sum += xpsnr_large_tap(i, j) * at(i, j);
    }
    return sum;
}

// 4: of first or second order.
VMAF_DEVICE_FN constexpr int xpsnr_change(int now, int before) { return now - before; }
VMAF_DEVICE_FN constexpr int xpsnr_change(int now, int before, int earlier) { return now - before - before + earlier; }

} // namespace kernels
} // namespace vmaf
