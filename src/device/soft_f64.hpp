// IEEE binary64 in integers, rounding to nearest even, for devices without doubles. Finite normal numbers and zero
// only; kernels stay in that range.
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

class SoftF64 {
  public:
    VMAF_DEVICE_FN SoftF64() : bits_(0) {}
    VMAF_DEVICE_FN explicit SoftF64(int v) : bits_(from_magnitude(magnitude(v), v < 0)) {}
    VMAF_DEVICE_FN explicit SoftF64(u32 v) : bits_(from_magnitude(v, false)) {}
    VMAF_DEVICE_FN explicit SoftF64(float v) {
        union {
            float f;
            u32 b;
        } u;
        u.f = v;
        const u64 sign = static_cast<u64>(u.b >> 31) << 63;
        const u32 rest = u.b & 0x7fffffff;
        if (rest >> 23)
            bits_ = sign | ((static_cast<u64>(rest) << 29) + (static_cast<u64>(1023 - 127) << 52));
        else // zero, or below the normal floats
            bits_ = rest ? rounded(rest, -149, sign != 0).bits_ : sign;
    }
    VMAF_DEVICE_FN explicit SoftF64(u64 v) : bits_(v ? rounded(v, 0, false).bits_ : 0) {}
    VMAF_DEVICE_FN explicit SoftF64(i64 v)
        : bits_(v ? rounded(v < 0 ? 0 - static_cast<u64>(v) : static_cast<u64>(v), 0, v < 0).bits_ : 0) {}
    static VMAF_DEVICE_FN SoftF64 from_bits(u64 bits) {
        SoftF64 out;
        out.bits_ = bits;
        return out;
    }

    friend VMAF_DEVICE_FN SoftF64 operator-(SoftF64 a) { return from_bits(a.bits_ ^ kSign); }
    friend VMAF_DEVICE_FN SoftF64 operator-(SoftF64 a, SoftF64 b) { return a + -b; }
    friend VMAF_DEVICE_FN SoftF64 operator+(SoftF64 a, SoftF64 b) {
        if ((a.bits_ & ~kSign) < (b.bits_ & ~kSign)) {
            const SoftF64 t = a;
            a = b;
            b = t;
        }
        if (!b.fraction()) return a;
        // Nine spare bits at the bottom; the lowest keeps a trace of bits that a shift drops.
        const int distance = a.exponent() - b.exponent();
        const u64 x = a.fraction() << 9;
        u64 y = b.fraction() << 9;
        y = distance == 0 ? y : distance < 63 ? y >> distance | ((y << (64 - distance)) != 0) : 1;
        const bool negative = a.bits_ >> 63;
        if (!((a.bits_ ^ b.bits_) >> 63)) return rounded(x + y, a.exponent() - 9, negative);
        return x == y ? SoftF64() : rounded(x - y, a.exponent() - 9, negative);
    }
    friend VMAF_DEVICE_FN SoftF64 operator*(SoftF64 a, SoftF64 b) {
        const u64 sign = (a.bits_ ^ b.bits_) & kSign;
        if (!a.fraction() || !b.fraction()) return from_bits(sign);
        u64 high, low;
        multiply(a.fraction() << 10, b.fraction() << 11, high, low);
        return rounded(high | (low != 0), a.exponent() + b.exponent() + 64 - 21, sign != 0);
    }
    friend VMAF_DEVICE_FN SoftF64 operator/(SoftF64 a, SoftF64 b) { // b is not 0
        const u64 sign = (a.bits_ ^ b.bits_) & kSign;
        if (!a.fraction()) return from_bits(sign);
        u64 rest = a.fraction();
        const u64 divisor = b.fraction();
        u64 quotient = 0;
        for (int i = 0; i < 56; i++) { // always rest < 2 * divisor
            quotient <<= 1;
            if (rest >= divisor) {
                rest -= divisor;
                quotient |= 1;
            }
            rest <<= 1;
        }
        return rounded(quotient << 1 | (rest != 0), a.exponent() - b.exponent() - 56, sign != 0);
    }
    friend VMAF_DEVICE_FN bool operator<(SoftF64 a, SoftF64 b) {
        if (!((a.bits_ | b.bits_) & ~kSign)) return false; // both zero
        const bool an = a.bits_ >> 63, bn = b.bits_ >> 63;
        return an != bn ? an : an ? b.bits_ < a.bits_ : a.bits_ < b.bits_;
    }
    friend VMAF_DEVICE_FN bool operator>=(SoftF64 a, SoftF64 b) { return !(a < b); }
    friend VMAF_DEVICE_FN bool operator>(SoftF64 a, SoftF64 b) { return b < a; }
    friend VMAF_DEVICE_FN bool operator<=(SoftF64 a, SoftF64 b) { return !(b < a); }
    friend VMAF_DEVICE_FN bool operator==(SoftF64 a, SoftF64 b) {
        return a.bits_ == b.bits_ || !((a.bits_ | b.bits_) & ~kSign);
    }
    friend VMAF_DEVICE_FN bool operator!=(SoftF64 a, SoftF64 b) { return !(a == b); }
    VMAF_DEVICE_FN SoftF64 &operator+=(SoftF64 b) { return *this = *this + b; }
    VMAF_DEVICE_FN SoftF64 &operator-=(SoftF64 b) { return *this = *this - b; }
    VMAF_DEVICE_FN SoftF64 &operator*=(SoftF64 b) { return *this = *this * b; }

    VMAF_DEVICE_FN SoftF64 square_root() const { // must not be negative
        u64 m = fraction();
        if (!m) return *this;
        int e = exponent();
        if (e & 1) {
            m <<= 1;
            e--;
        }
        // Digit by digit: 27 pairs of bits of m, then 28 pairs of zeros.
        u64 root = 0, rest = 0;
        for (int i = 26; i >= -28; i--) {
            rest = rest << 2 | (i >= 0 ? m >> (2 * i) & 3 : 0);
            const u64 trial = root << 2 | 1;
            root <<= 1;
            if (rest >= trial) {
                rest -= trial;
                root |= 1;
            }
        }
        return rounded(root << 1 | (rest != 0), e / 2 - 29, false);
    }
    VMAF_DEVICE_FN float to_float() const { // rounds; overflows to infinity
        const u32 sign = static_cast<u32>(bits_ >> 32) & 0x80000000u;
        const u64 m = fraction();
        const int e = exponent() + 52 + 127; // of the float, biased
        u32 out = 0;
        if (m && e > -25) {
            const int shift = e > 0 ? 29 : 30 - e;
            const u64 dropped = m & ((1ull << shift) - 1), half = 1ull << (shift - 1);
            u64 kept = m >> shift;
            kept += dropped > half || (dropped == half && (kept & 1));
            out = e > 254 ? 0x7f800000u : static_cast<u32>((e > 0 ? static_cast<u64>(e - 1) << 23 : 0) + kept);
        }
        union {
            float f;
            u32 b;
        } u;
        u.b = sign | out;
        return u.f;
    }
    VMAF_DEVICE_FN SoftF64 floor() const { // below 2^62
        const i64 t = truncated();
        const SoftF64 whole(t);
        return *this < whole ? SoftF64(t - 1) : t == 0 ? from_bits(bits_ & kSign) : whole;
    }

    // Toward zero; must fit.
    VMAF_DEVICE_FN i64 truncated() const {
        const int e = exponent();
        const u64 m = !fraction() || e < -52 ? 0 : e < 0 ? fraction() >> -e : fraction() << e;
        return bits_ >> 63 ? -static_cast<i64>(m) : static_cast<i64>(m);
    }
    VMAF_DEVICE_FN u64 bits() const { return bits_; }

  private:
    static constexpr u64 kSign = 1ull << 63;

    // value = fraction * 2^exponent
    VMAF_DEVICE_FN u64 fraction() const { return bits_ & ~kSign ? (bits_ & ((1ull << 52) - 1)) | 1ull << 52 : 0; }
    VMAF_DEVICE_FN int exponent() const { return static_cast<int>(bits_ >> 52 & 2047) - 1075; }

    static VMAF_DEVICE_FN int top_bit(u64 v) {
        const u32 high = static_cast<u32>(v >> 32);
        return high ? 63 - PortableOperations::leading_zeros(high)
                    : 31 - PortableOperations::leading_zeros(static_cast<u32>(v));
    }
    static VMAF_DEVICE_FN u64 from_magnitude(u32 m, bool negative) {
        if (!m) return 0;
        const int top = top_bit(m);
        const u64 fraction = static_cast<u64>(m) << (52 - top);
        return (negative ? kSign : 0) | ((static_cast<u64>(1023 + top) << 52) + (fraction - (1ull << 52)));
    }
    // m * 2^exponent for m > 0; if m has over 54 bits, its lowest may stand for nonzero bits below it.
    static VMAF_DEVICE_FN SoftF64 rounded(u64 m, int exponent, bool negative) {
        const int shift = top_bit(m) - 52;
        if (shift > 0) {
            const u64 dropped = m & ((1ull << shift) - 1), half = 1ull << (shift - 1);
            m >>= shift;
            m += dropped > half || (dropped == half && (m & 1));
        } else
            m <<= -shift;
        const u64 bits =
            (static_cast<u64>(exponent + shift + 1075) << 52) + (m - (1ull << 52)); // a carry increments the exponent
        return from_bits((negative ? kSign : 0) | bits);
    }
    static VMAF_DEVICE_FN void multiply(u64 a, u64 b, u64 &high, u64 &low) {
        const u64 a0 = static_cast<u32>(a), a1 = a >> 32, b0 = static_cast<u32>(b), b1 = b >> 32;
        const u64 p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0;
        const u64 middle = (p00 >> 32) + static_cast<u32>(p01) + static_cast<u32>(p10);
        high = a1 * b1 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
        low = middle << 32 | static_cast<u32>(p00);
    }

    u64 bits_;
};

// The same operations for both types.
VMAF_DEVICE_FN i64 truncated(SoftF64 v) { return v.truncated(); }
VMAF_DEVICE_FN float to_float(SoftF64 v) { return v.to_float(); }
VMAF_DEVICE_FN SoftF64 floor_of(SoftF64 v) { return v.floor(); }
VMAF_DEVICE_FN SoftF64 square_root(SoftF64 v) { return v.square_root(); }
#ifndef VMAF_DEVICE_HAS_NO_DOUBLE
VMAF_DEVICE_FN i64 truncated(double v) { return static_cast<i64>(v); }
VMAF_DEVICE_FN float to_float(double v) { return static_cast<float>(v); }
VMAF_DEVICE_FN double floor_of(double v) {
#if defined(__CUDACC__) || defined(__HIPCC__)
    return floor(v);
#else
    return __builtin_floor(v);
#endif
}
#if !defined(__CUDACC__) && !defined(__HIPCC__)
inline double square_root(double v) { return __builtin_sqrt(v); } // devices use the context's operation
#endif
#endif
template <class F> struct F64 {
    static VMAF_DEVICE_FN F from_bits(u64 bits) { return F::from_bits(bits); }
};
#ifndef VMAF_DEVICE_HAS_NO_DOUBLE
template <> struct F64<double> {
    static VMAF_DEVICE_FN double from_bits(u64 bits) {
        union {
            u64 b;
            double d;
        } u;
        u.b = bits;
        return u.d;
    }
};
#endif

} // namespace kernels
} // namespace vmaf
