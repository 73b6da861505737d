// Operations of the fixed-point adm on single coefficients (adm.md 3.4 to 3.8), for device kernels.
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

// Wavelet taps (3.4).
VMAF_DEVICE_FN constexpr int adm_tap(bool high, int k) {
    return high ? (k == 0   ? -4240
                   : k == 1 ? -7345
                   : k == 2 ? 27411
                            : -15826)
                : (k == 0   ? 15826
                   : k == 1 ? 27411
                   : k == 2 ? 7345
                            : -4240);
}

// Settings of one scale: everything derived from options and sizes.
struct AdmSettings {
    u32 weight[2];                // of H and V, of D (3.7)
    u32 gains[2];                 // adm_enhn_gain_limit if it is an integer; the second if one pass serves two
    u64 gain_bits;                // the first as a double
    int left, right, top, bottom; // scored window
    int den_shift, den_row_shift; // c and v of 3.6 (scale 0: no c, S)
    int num_shift, num_row_shift; // c (of H and V) and v of 3.8
};

// floor(2^30 / m) for 1 <= m <= 32768; anything for m = 0.
template <class C, bool kFast> struct AdmReciprocal;
template <class C> struct AdmReciprocal<C, false> {
    static VMAF_DEVICE_FN u32 run(u32 m) { return (1u << 30) / (m ? m : 1u); }
};
// (2^30 + 1/2) / m is at least 1 / (2m) away from integers: a relative error below 2^-31 is good enough.
template <class C> struct AdmReciprocal<C, true> {
    static VMAF_DEVICE_FN u32 run(u32 m) {
        using F = typename C::f64;
        const F x = C::from_words(0x43300000u, m) + C::f64_from(0xc330000000000000ull), one(1.0f); // 2^52 + m - 2^52
        const F estimate = C::reciprocal_estimate(x), e = C::multiply_add(-x, estimate, one);
        const F reciprocal = C::multiply_add(estimate, C::multiply_add(e, e, e), estimate);
        return C::low_word(C::floor_of_product(reciprocal, C::f64_from(0x41d0000000200000ull))); // 2^30 + 1/2
    }
};

// Angle test of 3.5 on float-rounded sums; dropping the common factor 1 / 4096^2 changes no rounding.
template <class F> VMAF_DEVICE_FN bool adm_angle_as_specified(float dp, float oo, float tt) {
    const F p(dp);
    return p * p >= (F(0.99969542f) * F(oo)) * F(tt);
}
template <class C, bool kFast> struct AdmAngle;
template <class C> struct AdmAngle<C, true> {
    static VMAF_DEVICE_FN bool run(float dp, float oo, float tt) {
        return adm_angle_as_specified<typename C::f64>(dp, oo, tt);
    }
};
// In single precision if the answer is clear: the products below are off by less than 2^-21.
template <class C> struct AdmAngle<C, false> {
    static VMAF_DEVICE_FN bool run(float dp, float oo, float tt) {
        const float p = dp * dp, limit = 0.99969542f * oo * tt;
        if (p > limit * 1.000001f) return true;
        if (p < limit * 0.999999f) return false;
        return adm_angle_as_specified<typename C::f64>(dp, oo, tt);
    }
};
template <class C, int S> VMAF_DEVICE_FN bool adm_angle(int oh, int ov, int th, int tv) {
    using Sum = Select<S == 0, int, i64>;
    const Sum dp = static_cast<Sum>(oh) * th + static_cast<Sum>(ov) * tv;
    if (dp < 0) return false;
    const Sum oo = static_cast<Sum>(oh) * oh + static_cast<Sum>(ov) * ov;
    const Sum tt = static_cast<Sum>(th) * th + static_cast<Sum>(tv) * tv;
    return AdmAngle<C, C::kFastF64>::run(static_cast<float>(dp), static_cast<float>(oo), static_cast<float>(tt));
}

// Magnitude of r after enhancement: the smaller of gain * rm and tm (3.5).
template <class C, bool kGeneral> struct AdmEnhanced;
template <class C> struct AdmEnhanced<C, false> { // integer gains
    static VMAF_DEVICE_FN u32 run(u32 rm, u32 tm, const AdmSettings &s, int which) {
        const u64 grown = static_cast<u64>(rm) * s.gains[which];
        return grown < tm ? static_cast<u32>(grown) : tm;
    }
};
template <class C> struct AdmEnhanced<C, true> {
    static VMAF_DEVICE_FN u32 run(u32 rm, u32 tm, const AdmSettings &s, int) {
        using F = typename C::f64;
        const F grown = F(rm) * F64<F>::from_bits(s.gain_bits);
        return grown < F(tm) ? static_cast<u32>(truncated(grown)) : tm;
    }
};

// r of 3.5 under each gain limit, in magnitudes: tm is t with the sign of o; r is 0 unless both signs agree.
template <class C, int S, bool kGeneral, int kGains>
VMAF_DEVICE_FN void adm_restored(int o, int t, bool enhance, const AdmSettings &s, int (&out)[kGains]) {
    const u32 m = magnitude(o), negative = static_cast<u32>(o) >> 31;
    const int tm = o < 0 ? -t : t;
    u32 rm;
    if (S == 0) {
        const u32 reciprocal = AdmReciprocal<C, C::kFastF64>::run(m);
        u32 k = (reciprocal * static_cast<u32>(tm) + 16384) >> 15; // the product is at most 2^30 where it is used
        if (tm > static_cast<int>(m)) k = 32768;
        rm = (k * m + 16384 - negative) >> 15;
    } else {
        const int e = m >= 32768 ? 17 - C::leading_zeros(m) : 0;
        const u32 n = (m + ((1u << e) >> 1)) >> e;
        const u64 p =
            (static_cast<u64>(AdmReciprocal<C, C::kFastF64>::run(n)) * static_cast<u32>(tm) + (1ull << (14 + e))) >>
            (15 + e);
        const u32 k = p < 32768 ? static_cast<u32>(p) : 32768;
        rm = static_cast<u32>((static_cast<u64>(k) * m + (16384 - negative)) >> 15);
    }
    VMAF_UNROLL
    for (int g = 0; g < kGains; g++) {
        u32 grown = rm;
        if (enhance) {
            if (S > 0 || kGeneral)
                grown = AdmEnhanced<C, kGeneral>::run(rm, static_cast<u32>(tm), s, g);
            else { // above 327 the smallest of gain * rm and tm is known (|t| <= 22930), so 32 bits suffice
                grown = rm * s.gains[g];
                grown = grown < static_cast<u32>(tm) ? grown : static_cast<u32>(tm);
            }
        }
        grown = o != 0 && tm > 0 ? grown : 0;
        out[g] = negative ? -static_cast<int>(grown) : static_cast<int>(grown);
    }
}

// Masking terms of one coefficient (3.8), summed over the bands; `surplus` is the centre's excess over a neighbour.
// Returns the magnitude M. Plain settings do not overflow, except kappa at scale 0.
template <int S, bool kDiagonal, bool kGeneral>
VMAF_DEVICE_FN u32 adm_mask(int y, const AdmSettings &s, int &neighbour, int &surplus) {
    const u32 weight = s.weight[kDiagonal];
    if (S == 0) {
        const int p = static_cast<int>(weight) * y;
        int c = kDiagonal ? (p + 65535) >> 17 : (p + 16384) >> 15;
        if (kGeneral) c = static_cast<i16>(c);
        const u32 m = magnitude(c);
        int nu = static_cast<int>((4369 * m + 2048) >> 12);
        if (kGeneral) nu = static_cast<i16>(nu);
        const int kappa = static_cast<int>(16 * 8738 * m + 16 * 2048) >> 16; // keeps 16 bits, signed
        neighbour += nu;
        surplus += kappa - nu;
        return magnitude(p);
    }
    const i64 p = kGeneral ? static_cast<i64>(weight) * y : static_cast<i64>(static_cast<int>(weight)) * y;
    const u32 m = magnitude(static_cast<int>((p + (1ll << 27)) >> 28));
    const int nu = static_cast<int>((static_cast<i64>(143165577) * static_cast<int>(m) - (1ll << 31)) >> 32);
    const int kappa = static_cast<int>((static_cast<i64>(286331153) * static_cast<int>(m) - (1ll << 31)) >> 32);
    neighbour += nu;
    surplus += kappa - nu;
    return m;
}

// Rows are rounded by a shift of v bits (3.6, 3.8). A row's sum is 2^v * (sum of `high`) + (sum of `low`), with low
// below 2^v: only the low parts must be kept row by row.
VMAF_DEVICE_FN void adm_split(u64 term, int v, u64 &high, u32 &low) {
    high += term >> v;
    low = static_cast<u32>(term) & ((1u << v) - 1);
}

// Excess over the masking threshold (3.8).
template <int S, bool kDiagonal> VMAF_DEVICE_FN u32 adm_excess(u32 m, u32 threshold) {
    const int x = static_cast<int>(m - (S == 0 ? threshold << (kDiagonal ? 12 : 10) : threshold));
    return x > 0 ? static_cast<u32>(x) : 0;
}
template <int S, bool kDiagonal, bool kGeneral>
VMAF_DEVICE_FN void adm_cube(u32 x, const AdmSettings &s, u64 &high, u32 &low) { // adds nothing for x = 0
    constexpr int q = S == 0 && !kDiagonal ? 29 : 30;
    const int c = S == 0 && kDiagonal ? s.num_shift + 1 : s.num_shift, v = s.num_row_shift;
    const u32 n = static_cast<u32>((static_cast<u64>(x) * x + (1ull << (q - 1))) >> q);
    if (kGeneral) { // n wraps to negative values
        const i64 term = (static_cast<i64>(static_cast<int>(n)) * x + static_cast<i64>((1ull << c) >> 1)) >> c;
        high += static_cast<u64>(term >> v);
        low = static_cast<u32>(term) & ((1u << v) - 1);
    } else {
        const u64 term = static_cast<u64>(n) * x + ((1ull << c) >> 1);
        high += term >> (c + v);
        low = static_cast<u32>(term >> c) & ((1u << v) - 1);
    }
}
// Term of the denominator (3.6).
template <int S> VMAF_DEVICE_FN void adm_reference_cube(int o, const AdmSettings &s, u64 &high, u32 &low) {
    const u32 x = magnitude(o);
    if (S == 0)
        adm_split(static_cast<u64>(x * x) * x, s.den_row_shift, high, low);
    else {
        constexpr int q = S == 2 ? 30 : 31;
        const u64 square = (static_cast<u64>(x) * x + (1ull << q)) >> q;
        adm_split((square * x + ((1ull << s.den_shift) >> 1)) >> s.den_shift, s.den_row_shift, high, low);
    }
}

} // namespace kernels
} // namespace vmaf
