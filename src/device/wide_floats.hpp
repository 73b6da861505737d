// Sums of 32-bit floats in 64-bit ones. Conversion is slow even where doubles are fast, so shift instead: a float's
// bits three places to the right are those of a double 2^-896 times as large. This holds for every finite float,
// including subnormals, and sums round as without the factor: below the normal doubles they are exact.
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

// kSigned: values may be negative.
template <class C, bool kSigned, bool kFast = C::kFastF64> struct WideFloats {
    using f64 = typename C::f64;
    static VMAF_DEVICE_FN f64 widened(float v) { return f64(v); }
    static VMAF_DEVICE_FN float narrowed(f64 sum) { return to_float(sum); }
};
template <class C, bool kSigned> struct WideFloats<C, kSigned, true> {
    using f64 = typename C::f64;
    static VMAF_DEVICE_FN f64 widened(float v) {
        const u32 bits = C::bits(v);
        return C::from_words(kSigned ? (bits & 0x80000000u) | (bits & 0x7fffffffu) >> 3 : bits >> 3, bits << 29);
    }
    static VMAF_DEVICE_FN float narrowed(f64 sum) {
        return to_float(sum * C::f64_from(0x77f0000000000000ull));
    } // 2^896
};

} // namespace kernels
} // namespace vmaf
