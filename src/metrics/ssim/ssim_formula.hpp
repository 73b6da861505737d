// Shared by CPU and device code of the structural similarities (fidelity.md 6, 8.2, 11.1): taps, constants, and the
// arithmetic of one position, in the dialect of device/kernel.hpp. `C` has f64, divide() and square_root().
#pragma once

#include "metrics/common/mirrored.hpp"

namespace vmaf {
namespace kernels {

constexpr int kSsimTapCount = 11;
constexpr float kSsimConstant1 = (0.01f * 255) * (0.01f * 255);
constexpr float kSsimConstant2 = (0.03f * 255) * (0.03f * 255);

// The Gaussian window, 0 <= k < kSsimTapCount.
VMAF_DEVICE_FN constexpr float ssim_tap(int k) {
    return k == 0 || k == 10  ? 0.001028f
           : k == 1 || k == 9 ? 0.007599f
           : k == 2 || k == 8 ? 0.036001f
           : k == 3 || k == 7 ? 0.109361f
           : k == 4 || k == 6 ? 0.213006f
                              : 0.266012f;
}

// The low-pass between the scales of float_ms_ssim, by the distances from its centre, 0 to 4.
VMAF_DEVICE_FN constexpr float low_pass_tap(int v, int u) {
    const int far = v > u ? v : u, near = v > u ? u : v;
    return far == 0   ? 0.363505f
           : far == 1 ? (near == 0 ? 0.160885f : 0.071207f)
           : far == 2 ? (near == 0   ? -0.047149f
                         : near == 1 ? -0.020867f
                                     : 0.006115f)
           : far == 3 ? (near == 0   ? -0.010146f
                         : near == 1 ? -0.004490f
                         : near == 2 ? 0.001316f
                                     : 0.000283f)
                      : (near == 0   ? 0.016114f
                         : near == 1 ? 0.007132f
                         : near == 2 ? -0.002090f
                         : near == 3 ? -0.000450f
                                     : 0.000714f);
}

// Mirror with the border sample repeated, once (7.1).
VMAF_DEVICE_FN constexpr int mirrored_index(int i, int n) { return mirrored<true, true>(i, n); }

// 6.3, 6.4: from the windowed means of a, b, a*a, b*b and a*b. The mixture of f32 and f64 is part of the definition.
template <class C> struct SsimPosition {
    using f64 = typename C::f64;
    f64 luminance, contrast;
    float structure;

    VMAF_DEVICE_FN SsimPosition(float ma, float mb, float aa, float bb, float ab, bool with_luminance) {
        const float va = above_zero(aa - ma * ma), vb = above_zero(bb - mb * mb);
        const float covariance = ab - ma * mb;
        const float deviations = C::square_root(va * vb);
        const float numerator = covariance < 0.0f && deviations <= 0.0f ? 0.0f : covariance;
        const float c3 = kSsimConstant2 / 2;
        structure = C::divide(numerator + c3, deviations + c3);
        contrast = C::divide(f64(2) * f64(deviations) + f64(kSsimConstant2), f64(va + vb + kSsimConstant2));
        luminance = with_luminance ? C::divide(f64(2) * f64(ma) * f64(mb) + f64(kSsimConstant1),
                                               f64(ma * ma + mb * mb + kSsimConstant1))
                                   : f64(0);
    }
    VMAF_DEVICE_FN f64 ssim() const { return luminance * contrast * f64(structure); }

  private:
    static VMAF_DEVICE_FN float above_zero(float v) { return v < 0.0f ? 0.0f : v; }
};

// The taps of `ssim`, -4 <= k <= 4.
constexpr int kMomentReach = 4;
VMAF_DEVICE_FN constexpr u32 moment_tap(int k) {
    const int distance = k < 0 ? -k : k;
    return distance == 0 ? 68u : distance == 1 ? 55u : distance == 2 ? 28u : distance == 3 ? 9u : 2u;
}
// The sum of the taps that fall inside [0, n) around position i.
VMAF_DEVICE_FN constexpr u32 moment_taps_inside(int i, int n) {
    if (i >= kMomentReach && i + kMomentReach < n) return 256;
    u32 sum = 0;
    for (int k = -kMomentReach; k <= kMomentReach; k++) sum += i + k >= 0 && i + k < n ? moment_tap(k) : 0;
    return sum;
}

// 11.1: the weighted similarity of a position, from the sums over its window.
template <class C, class F = typename C::f64>
VMAF_DEVICE_FN F moment_similarity(F mx, F my, F xx, F xy, F yy, F w, F k1, F k2) {
    const F c1 = k1 * w * w, c2 = k2 * w * w, two(2);
    const F mxx = mx * mx, mxy = mx * my, myy = my * my;
    const F numerator = w * (two * mxy + c1) * (c2 + two * (xy * w - mxy));
    const F denominator = (mxx + myy + c1) * (xx * w - mxx + yy * w - myy + c2);
    return C::divide(numerator, denominator);
}

} // namespace kernels
} // namespace vmaf
