// Per-pixel terms of vif (vif.md 2.8) for eight pixels of a thread.
#pragma once

#include "metrics/vif/vif_pixel_kernel.hpp"

namespace vmaf {
namespace kernels {

// Avoids a conversion: 2^52 + v, minus 2^52.
template <class C> VMAF_DEVICE_FN typename C::f64 exact_f64(u32 v) {
    return C::from_words(0x43300000u, v) + C::f64_from(0xc330000000000000ull);
}

// Adds the terms of pixels whose bit is set in `valid`.
template <class C, int kLimits, bool kFast> struct VifEight {
    static VMAF_DEVICE_FN void run(const VifVariances (&v)[8], u32 valid, Shared<const u16> log_table,
                                   const VifGainLimits<kLimits> &limits, VifTerms<kLimits> &terms) {
        VMAF_UNROLL
        for (int j = 0; j < 8; j++)
            if (valid >> j & 1) vif_pixel<C>(v[j], log_table, limits, terms);
    }
};

// With fast doubles. Nothing branches in the common case, so the steps of eight pixels overlap.
template <class C, int kLimits> struct VifEight<C, kLimits, true> {
    using F = typename C::f64;

    static VMAF_DEVICE_FN void run(VifVariances (&v)[8], u32 valid, Shared<const u16> log_table,
                                   const VifGainLimits<kLimits> &limits, VifTerms<kLimits> &terms) {
        if (valid != 255) {
            VMAF_UNROLL
            for (int j = 0; j < 8; j++)
                if (!(valid >> j & 1)) {
                    v[j] = {0, 0, 0};
                    terms.den_flat--;
                }
        }
        bool any = false;
        VMAF_UNROLL
        for (int j = 0; j < 8; j++) {
            any = any || !is_flat(v[j]);
            if (is_flat(v[j])) {
                terms.num_flat += static_cast<u32>(v[j].s2);
                terms.den_flat++;
            }
        }
        if (!any) return;
        Arguments from, to[kLimits]; // of the logarithms
        bool doubtful = false;
        terms.den_log -= 8 * (kVifLogOfNoise + kVifLogBias);
        VMAF_UNROLL
        for (int j = 0; j < 8; j++) {
            terms.den_log += vif_log<C>(131072u + (is_flat(v[j]) ? 0u : static_cast<u32>(v[j].s1)), log_table);
            const Quotient p(v[j]);
            from.z[j] = with_residual(v[j].s2 - static_cast<int>(p.whole) - 1);
            to[0].z[j] = from.z[j] + (has_gain(v[j]) ? p.whole : 0);
            doubtful = doubtful || (has_gain(v[j]) && !p.is_certain_below_two(v[j]));
        }
        VMAF_UNROLL
        for (int n = 1; n < kLimits; n++) to[n] = to[0];
        VMAF_UNROLL
        for (int n = 0; n < kLimits; n++) {
            u32 uncertain = 0;
            if (limits.of[n].is_one)
                limit_to_one(v, from, to[n]);
            else if (limits.of[n].below_eight)
                uncertain = limited(v, limits.of[n], from, to[n]);
            if (doubtful) uncertain |= doubts(v);
            if (uncertain) resolve(v, uncertain, limits.of[n], from, to[n]);
        }
        VMAF_UNROLL
        for (int j = 0; j < 8; j++) {
            const u32 start = vif_log<C>(from.z[j], log_table);
            VMAF_UNROLL
            for (int n = 0; n < kLimits; n++) terms.num_log[n] += vif_log<C>(to[n].z[j], log_table) - start;
        }
    }

  private:
    struct Arguments {
        u32 z[8];
    };
    // p = s12^2 / s1 to about 1e-6, in 16 fraction bits.
    struct Quotient {
        u32 whole, low;
        VMAF_DEVICE_FN explicit Quotient(const VifVariances &v) {
            const F x = exact_f64<C>(static_cast<u32>(v.s1)), y = exact_f64<C>(static_cast<u32>(v.s12)), one(1.0f);
            const F estimate = C::reciprocal_estimate(x), e = C::multiply_add(-x, estimate, one);
            const F reciprocal = C::multiply_add(estimate, C::multiply_add(e, e, e), estimate);
            const F p = C::multiply_add(y * reciprocal, y, C::f64_from(0x4230000000000000ull)); // 2^36
            low = C::low_word(p);
            whole = C::permute_bytes(low, C::high_word(p), 0x5432);
        }
        // 5 / 65536 is more than 1.4e-5 * 2^2 and the rounding of p, 66 / 65536 than 1.4e-5 * 8.01^2.
        VMAF_DEVICE_FN bool is_certain_below_two(const VifVariances &v) const { return is_certain(v, 5, 1); }
        VMAF_DEVICE_FN bool is_certain_below_eight(const VifVariances &v) const { return is_certain(v, 66, 3); }

      private:
        VMAF_DEVICE_FN bool is_certain(const VifVariances &v, u32 margin, int gain_bits) const {
            return (low << 16) - (margin << 16) <= (65536u - 2 * margin) << 16 && (v.s12 >> gain_bits) < v.s1;
        }
    };

    static VMAF_DEVICE_FN bool is_flat(const VifVariances &v) { return v.s1 < 131072; }
    static VMAF_DEVICE_FN bool has_gain(const VifVariances &v) { return !is_flat(v) && v.s12 > 0 && v.s2 > 0; }
    static VMAF_DEVICE_FN u32 with_residual(int residual) {
        return 131072u + static_cast<u32>(residual > 0 ? residual : 0);
    }

    // A gain above 1 is one of integers s12 > s1, and the signal s1 then.
    static VMAF_DEVICE_FN void limit_to_one(const VifVariances (&v)[8], const Arguments &from, Arguments &to) {
        VMAF_UNROLL
        for (int j = 0; j < 8; j++)
            if (has_gain(v[j]) && v[j].s12 > v[j].s1) to.z[j] = from.z[j] + static_cast<u32>(v[j].s1);
    }

    // Applies the gain limit. Returns a bit for each pixel too close to it.
    static VMAF_DEVICE_FN u32 limited(const VifVariances (&v)[8], const VifGainLimit &limit, const Arguments &from,
                                      Arguments &to) {
        u32 close = 0;
        VMAF_UNROLL
        for (int j = 0; j < 8; j++) {
            if (!has_gain(v[j]) || v[j].s12 == v[j].s1) continue; // if equal, the gain is below 1, and no limit is
            const F x = exact_f64<C>(static_cast<u32>(v[j].s1)), y = exact_f64<C>(static_cast<u32>(v[j].s12));
            const F bound = C::f64_from(limit.limit) * x, signal = C::f64_from(limit.limit_squared) * x;
            if (y > bound * C::f64_from(0x3ff0000000001198ull)) // 1 + 1e-12
                to.z[j] = from.z[j] + C::low_word(C::floor_of_product(signal, F(1.0f)));
            else if (!(y < bound * C::f64_from(0x3fefffffffffdcd1ull))) // 1 - 1e-12
                close |= 1u << j;
        }
        return close;
    }

    static VMAF_DEVICE_FN u32 doubts(const VifVariances (&v)[8]) {
        u32 out = 0;
        VMAF_UNROLL
        for (int j = 0; j < 8; j++)
            if (has_gain(v[j]) && !Quotient(v[j]).is_certain_below_eight(v[j])) out |= 1u << j;
        return out;
    }

    static VMAF_DEVICE_FN void resolve(const VifVariances (&v)[8], u32 uncertain, const VifGainLimit &limit,
                                       Arguments &from, Arguments &to) {
        VMAF_UNROLL
        for (int j = 0; j < 8; j++)
            if ((uncertain >> j & 1) && v[j].s12 == v[j].s1) {
                from.z[j] = with_residual(v[j].s2 - v[j].s1);
                to.z[j] = from.z[j] + static_cast<u32>(v[j].s1) - 1;
                uncertain &= ~(1u << j);
            }
        while (uncertain) { // one copy of the divisions for all eight
            const int at = 31 - C::leading_zeros(uncertain);
            VifVariances one = v[0];
            VMAF_UNROLL
            for (int j = 1; j < 8; j++)
                if (j == at) one = v[j];
            const VifGain gain = vif_gain_as_specified<F>(one.s1, one.s2, one.s12, limit);
            const u32 a = with_residual(gain.residual), b = a + gain.signal;
            VMAF_UNROLL
            for (int j = 0; j < 8; j++)
                if (j == at) {
                    from.z[j] = a;
                    to.z[j] = b;
                }
            uncertain &= ~(1u << at);
        }
    }
};

} // namespace kernels
} // namespace vmaf
