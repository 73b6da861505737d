// Per-pixel terms of vif (vif.md 2.7, 2.8) for device kernels: the logarithm from a small table, and the gain without
// the specification's double divisions where the result is certain without them.
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

// The table of 2.7 takes 2049 values, at least 11 entries apart. So one 16-bit word holds eight entries: the first
// value (less 30720) in the upper 12 bits, and in the lower four a number that carries into them from the step on.
constexpr int kVifLogTableSize = 4096;

// vif_enhn_gain_limit in the forms that kernels use.
struct VifGainLimit {
    u64 limit, limit_squared; // bits of the doubles
    float approximate;
    int below_eight; // the limit may be reached where the fast form is used
};

struct VifTerms {
    u32 num_log, den_log, den_flat;
    u64 num_flat;
};

// Without a conversion: 2^52 + v, less 2^52.
template <class C> VMAF_DEVICE_FN typename C::f64 exact_f64(u32 v) {
    return C::from_words(0x43300000u, v) + C::f64_from(0xc330000000000000ull);
}

// LG(z) - 30720.
template <class C> VMAF_DEVICE_FN u32 vif_log(u32 z, Shared<const u16> table) {
    const int k = 16 - C::leading_zeros(z);
    const u32 i = z >> k;
    return ((table[(i >> 3) & (kVifLogTableSize - 1)] + (i & 7)) >> 4) + 2048u * static_cast<u32>(k);
}

// A and B of 2.8 are 131072 + `residual` and that plus `signal`.
struct VifGain {
    int residual; // may be negative: counts as 0
    u32 signal;
};

// The text of 2.8.
template <class F> VMAF_DEVICE_FN VifGain vif_gain_as_specified(int s1, int s2, int s12, const VifGainLimit &limit) {
    F g = F(s12) / (F(s1) + F64<F>::from_bits(0x3edb7cdfd9d7bdbbull)); // 65536 * 1e-10
    const int residual = static_cast<int>(truncated(F(s2) - g * F(s12)));
    const F maximum = F64<F>::from_bits(limit.limit);
    g = g < maximum ? g : maximum;
    return {residual, static_cast<u32>(truncated((g * g) * F(s1)))};
}

// Both forms below rest on this: the two products g * s12 and g * g * s1 lie below p = s12^2 / s1, by at most
// 1.4e-5 * g * g (the effect of the small constant, far more than the rounding of doubles). So where p is farther than
// that above an integer P, both have the integer part P; where p is an integer, both have p - 1.
template <class C, bool kFast> struct VifGainOf;

// With fast doubles: p to about 1e-6, in 16 fraction bits.
template <class C> struct VifGainOf<C, true> {
    static VMAF_DEVICE_FN VifGain run(int s1, int s2, int s12, const VifGainLimit &limit) {
        using F = typename C::f64;
        const F x = exact_f64<C>(static_cast<u32>(s1)), y = exact_f64<C>(static_cast<u32>(s12)), one(1.0f);
        const F estimate = C::reciprocal_estimate(x), e = C::multiply_add(-x, estimate, one);
        const F reciprocal = C::multiply_add(estimate, C::multiply_add(e, e, e), estimate);
        const F p = C::multiply_add(y * reciprocal, y, C::f64_from(0x4230000000000000ull)); // 2^36
        const u32 whole = C::high_word(p) << 16 | C::low_word(p) >> 16, fraction = C::low_word(p) & 0xffff;
        VifGain out = {s2 - static_cast<int>(whole) - 1, whole};
        // 66 / 65536 is more than 1.4e-5 * 8.01^2.
        bool certain = fraction - 66u <= 65536u - 132u && (s12 >> 3) < s1;
        if (s12 == s1) {
            out = {s2 - s1, static_cast<u32>(s1) - 1};
            certain = true;
        } else if (limit.below_eight) {
            const F bound = C::f64_from(limit.limit) * x;
            if (y > bound * C::f64_from(0x3ff0000000001198ull)) // 1 + 1e-12
                out.signal = static_cast<u32>(truncated(C::f64_from(limit.limit_squared) * x));
            else
                certain = certain && y < bound * C::f64_from(0x3fefffffffffdcd1ull); // 1 - 1e-12
        }
        return certain ? out : vif_gain_as_specified<F>(s1, s2, s12, limit);
    }
};

// Without: quotient and remainder of s12^2 / s1 in integers.
template <class C> struct VifGainOf<C, false> {
    static VMAF_DEVICE_FN VifGain run(int s1, int s2, int s12, const VifGainLimit &limit) {
        using F = typename C::f64;
        const float x = static_cast<float>(s1), y = static_cast<float>(s12), reciprocal = C::reciprocal_estimate(x);
        const u64 square = static_cast<u64>(static_cast<u32>(s12)) * static_cast<u32>(s12);
        u32 quotient = static_cast<u32>(y * reciprocal * y); // off by some hundreds at most
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
        VifGain out = {s2 - static_cast<int>(quotient) - 1, quotient};
        bool certain = static_cast<float>(rest) >= 1.5e-5f * static_cast<float>(quotient) + 1e-6f * x + 1.0f;
        if (rest == 0) {
            out = {s2 - static_cast<int>(quotient), quotient - 1};
            certain = true;
        }
        if (s12 != s1) { // else the gain is just below 1, which no limit is
            const float bound = limit.approximate * x;
            if (y > bound * 1.000001f)
                out.signal = static_cast<u32>(truncated(F64<F>::from_bits(limit.limit_squared) * F(s1)));
            else
                certain = certain && y < bound * 0.999999f;
        }
        return certain ? out : vif_gain_as_specified<F>(s1, s2, s12, limit);
    }
};

// Adds the terms of one pixel from its filtered means and products (2.6, 2.8).
template <class C>
VMAF_DEVICE_FN void vif_pixel(u32 mean_ref, u32 mean_dist, u32 xx, u32 yy, u32 xy, Shared<const u16> log_table,
                              const VifGainLimit &limit, VifTerms &terms) {
    constexpr u64 kHalf = 1ull << 31;
    const int s1 = static_cast<int>(xx - static_cast<u32>((static_cast<u64>(mean_ref) * mean_ref + kHalf) >> 32));
    const int s12 = static_cast<int>(xy - static_cast<u32>((static_cast<u64>(mean_ref) * mean_dist + kHalf) >> 32));
    int s2 = static_cast<int>(yy - static_cast<u32>((static_cast<u64>(mean_dist) * mean_dist + kHalf) >> 32));
    s2 = s2 > 0 ? s2 : 0;
    if (s1 < 131072) {
        terms.num_flat += static_cast<u32>(s2);
        terms.den_flat++;
        return;
    }
    terms.den_log += vif_log<C>(131072 + static_cast<u32>(s1), log_table) - 4096;
    if (s12 <= 0 || s2 <= 0) return;
    const VifGain gain = VifGainOf<C, C::kFastF64>::run(s1, s2, s12, limit);
    const u32 a = 131072u + static_cast<u32>(gain.residual > 0 ? gain.residual : 0), b = a + gain.signal;
    terms.num_log += vif_log<C>(b, log_table) - vif_log<C>(a, log_table);
}

} // namespace kernels
} // namespace vmaf
