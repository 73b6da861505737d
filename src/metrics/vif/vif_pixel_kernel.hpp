// Per-pixel terms of vif (vif.md 2.7, 2.8) for device kernels: the logarithm from a small table, and the gain without
// the specification's double divisions where they cannot change the result.
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

// The table of 2.7 takes 2049 values, at least 11 entries apart. So one word serves eight entries, in 1/16 of their
// unit: the height of the first above a straight line, and a number that carries into the integer part from the step
// on.
constexpr int kVifLogTableSize = 4096;

// vif_enhn_gain_limit in the forms that kernels use.
struct VifGainLimit {
    u64 limit, limit_squared; // bits of the doubles
    float approximate;
    int below_eight; // the limit may apply where the fast form is used
    int is_one;
};

// One pass may serve several limits.
template <int kLimits> struct VifGainLimits { VifGainLimit of[kLimits]; };

// Only num_log depends on the limit.
template <int kLimits> struct VifTerms {
    u32 num_log[kLimits], den_log, den_flat;
    u64 num_flat;
};

// The excess of vif_log() over LG(z), and LG(131072).
constexpr u32 kVifLogBias = 2048 * 127, kVifLogOfNoise = 34816;

// LG(z) + kVifLogBias: a float's bits approximate its logarithm, piecewise linearly between powers of two.
template <class C> VMAF_DEVICE_FN u32 vif_log(u32 z, Shared<const u16> table) {
    const u32 b = C::bits_toward_zero(z);
    return ((static_cast<u32>(table[b >> 11 & (kVifLogTableSize - 1)]) << 8) + b) >> 12;
}

// Of one pixel (2.6).
struct VifVariances {
    int s1, s2, s12;
};
VMAF_DEVICE_FN int vif_variance(u32 product, u32 mean_a, u32 mean_b) {
    return static_cast<int>(product - static_cast<u32>((static_cast<u64>(mean_a) * mean_b + (1ull << 31)) >> 32));
}
// From its filtered means and products.
VMAF_DEVICE_FN VifVariances vif_variances(u32 mean_ref, u32 mean_dist, u32 xx, u32 yy, u32 xy) {
    const int s2 = vif_variance(yy, mean_dist, mean_dist);
    return {vif_variance(xx, mean_ref, mean_ref), s2 > 0 ? s2 : 0, vif_variance(xy, mean_ref, mean_dist)};
}

// A and B of 2.8 are 131072 + `residual` and that plus `signal`.
struct VifGain {
    int residual; // may be negative: counts as 0
    u32 signal;
};

// 2.8, literally.
template <class F> VMAF_DEVICE_FN VifGain vif_gain_as_specified(int s1, int s2, int s12, const VifGainLimit &limit) {
    F g = F(s12) / (F(s1) + F64<F>::from_bits(0x3edb7cdfd9d7bdbbull)); // 65536 * 1e-10
    const int residual = static_cast<int>(truncated(F(s2) - g * F(s12)));
    const F maximum = F64<F>::from_bits(limit.limit);
    g = g < maximum ? g : maximum;
    return {residual, static_cast<u32>(truncated((g * g) * F(s1)))};
}

// Used by the form below and by vif_eight_kernel.hpp: the two products g * s12 and g * g * s1 are below p =
// s12^2 / s1, by at most 1.4e-5 * g * g (due to the small constant, far more than the rounding of doubles). So
// if p exceeds an integer P by more than that, both have the integer part P; if p is an integer, both have p -
// 1.

// Quotient and remainder of s12^2 / s1 in integers, before the limit.
struct VifFreeGain {
    VifGain gain;
    bool certain;
};
template <class C> VMAF_DEVICE_FN VifFreeGain vif_free_gain(int s1, int s2, int s12) {
    const float x = static_cast<float>(s1), y = static_cast<float>(s12), reciprocal = C::reciprocal_estimate(x);
    const u64 square = static_cast<u64>(static_cast<u32>(s12)) * static_cast<u32>(s12);
    u32 quotient = static_cast<u32>(y * reciprocal * y); // off by a few hundred at most
    i64 rest = static_cast<i64>(square - static_cast<u64>(quotient) * static_cast<u32>(s1));
    const int more = static_cast<int>(static_cast<float>(rest) * reciprocal); // leaves it off by one at most
    quotient += static_cast<u32>(more);
    rest -= static_cast<i64>(more) * s1;
    if (rest < 0) {
        quotient--;
        rest += s1;
    } else if (rest >= s1) {
        quotient++;
        rest -= s1;
    }
    if (rest == 0) return {{s2 - static_cast<int>(quotient), quotient - 1}, true};
    return {{s2 - static_cast<int>(quotient) - 1, quotient},
            static_cast<float>(rest) >= 1.5e-5f * static_cast<float>(quotient) + 1e-6f * x + 1.0f};
}
template <class C>
VMAF_DEVICE_FN VifGain vif_limited_gain(const VifFreeGain &free, int s1, int s2, int s12, const VifGainLimit &limit) {
    using F = typename C::f64;
    VifGain out = free.gain;
    bool certain = free.certain;
    if (s12 != s1) { // else the gain is just below 1, and no limit is
        const float x = static_cast<float>(s1), y = static_cast<float>(s12), bound = limit.approximate * x;
        if (y > bound * 1.000001f)
            out.signal = static_cast<u32>(truncated(F64<F>::from_bits(limit.limit_squared) * F(s1)));
        else
            certain = certain && y < bound * 0.999999f;
    }
    return certain ? out : vif_gain_as_specified<F>(s1, s2, s12, limit);
}

// Adds the terms of one pixel.
template <class C, int kLimits>
VMAF_DEVICE_FN void vif_pixel(const VifVariances &v, Shared<const u16> log_table, const VifGainLimits<kLimits> &limits,
                              VifTerms<kLimits> &terms) {
    if (v.s1 < 131072) {
        terms.num_flat += static_cast<u32>(v.s2);
        terms.den_flat++;
        return;
    }
    terms.den_log += vif_log<C>(131072 + static_cast<u32>(v.s1), log_table) - (kVifLogOfNoise + kVifLogBias);
    if (v.s12 <= 0 || v.s2 <= 0) return;
    const VifFreeGain free = vif_free_gain<C>(v.s1, v.s2, v.s12);
    VMAF_UNROLL
    for (int n = 0; n < kLimits; n++) {
        const VifGain gain = vif_limited_gain<C>(free, v.s1, v.s2, v.s12, limits.of[n]);
        const u32 a = 131072u + static_cast<u32>(gain.residual > 0 ? gain.residual : 0), b = a + gain.signal;
        terms.num_log[n] += vif_log<C>(b, log_table) - vif_log<C>(a, log_table);
    }
}

} // namespace kernels
} // namespace vmaf
