// Division and square root of floats, correctly rounded even if the device's `/` and sqrt are a few units off: corrects
// their results in integers. Works for every float, including subnormals.
//
// Class M: bits(), float_from(), leading_zeros() as in contexts; quotient_estimate(a, b), root_estimate(v): the
// device's own operations, right for zeros, infinities and NaNs.
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

template <class M> struct ExactFloats {
    static VMAF_DEVICE_FN float divide(float a, float b) {
        const u32 x = M::bits(a) & kMagnitude, y = M::bits(b) & kMagnitude;
        if (!is_number(x) || !is_number(y)) return M::quotient_estimate(a, b);
        int ex, ey;
        const u32 m = fraction(x, ex), n = fraction(y, ey);
        // floor(m * 2^25 / n), 25 or 26 bits, and the remainder.
        const float of_fractions = M::quotient_estimate(to_unit(m), to_unit(n));
        u32 quotient = static_cast<u32>(of_fractions * 33554432.0f);
        i64 rest = (static_cast<i64>(m) << 25) - static_cast<i64>(quotient) * n;
        const int more = static_cast<int>(M::quotient_estimate(static_cast<float>(rest), static_cast<float>(n)));
        quotient += static_cast<u32>(more);
        rest -= static_cast<i64>(more) * n;
        while (rest < 0) {
            quotient--;
            rest += n;
        }
        while (rest >= n) {
            quotient++;
            rest -= n;
        }
        return M::float_from(((M::bits(a) ^ M::bits(b)) & ~kMagnitude) | rounded(quotient, rest != 0, ex - ey - 25));
    }

    static VMAF_DEVICE_FN float square_root(float v) {
        if (!is_number(M::bits(v))) return M::root_estimate(v); // includes negative ones
        int e;
        u32 m = fraction(M::bits(v), e);
        e -= 150;
        if (e & 1) {
            m <<= 1;
            e--;
        }
        // floor(sqrt(m * 2^26)), 25 or 26 bits, and the remainder.
        u32 root = static_cast<u32>(M::root_estimate(static_cast<float>(m)) * 8192.0f);
        const i64 square = static_cast<i64>(m) << 26;
        const float off = static_cast<float>(square - static_cast<i64>(root) * root);
        root += static_cast<u32>(static_cast<int>(M::quotient_estimate(off, static_cast<float>(2 * root))));
        i64 rest = square - static_cast<i64>(root) * root;
        while (rest < 0) {
            root--;
            rest += 2 * static_cast<i64>(root) + 1;
        }
        while (rest > 2 * static_cast<i64>(root)) {
            rest -= 2 * static_cast<i64>(root) + 1;
            root++;
        }
        return M::float_from(rounded(root, rest != 0, e / 2 - 13));
    }

  private:
    static constexpr u32 kMagnitude = 0x7fffffff, kInfinity = 0x7f800000, kHidden = 1u << 23;

    static VMAF_DEVICE_FN bool is_number(u32 bits) { return bits - 1 < kInfinity - 1; } // positive and finite
    // The float is fraction * 2^(exponent - 150); the fraction has 24 bits.
    static VMAF_DEVICE_FN u32 fraction(u32 bits, int &exponent) {
        exponent = static_cast<int>(bits >> 23);
        if (exponent) return (bits & (kHidden - 1)) | kHidden;
        const int shift = M::leading_zeros(bits) - 8;
        exponent = 1 - shift;
        return bits << shift;
    }
    static VMAF_DEVICE_FN float to_unit(u32 fraction) { // in [1, 2)
        return M::float_from(0x3f800000u | (fraction & (kHidden - 1)));
    }
    // Rounds v * 2^exponent; v has 25 or 26 bits, and `more` marks nonzero bits below it.
    static VMAF_DEVICE_FN u32 rounded(u32 v, bool more, int exponent) {
        const int top = 31 - M::leading_zeros(v), biased = top + exponent + 127;
        if (biased > 254) return kInfinity;
        int shift = top - 23;
        if (biased < 1) shift += 1 - biased;
        if (shift > 31) shift = 31;
        const u32 dropped = v & ((1u << shift) - 1), half = 1u << (shift - 1);
        u32 kept = v >> shift;
        kept += dropped > half || (dropped == half && (more || (kept & 1)));
        return biased < 1 ? kept : (static_cast<u32>(biased - 1) << 23) + kept; // a carry increments the exponent
    }
};

} // namespace kernels
} // namespace vmaf
