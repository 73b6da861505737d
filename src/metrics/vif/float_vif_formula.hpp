// The arithmetic of one pixel of `float_vif` (vif.md 3.6), shared by CPU and device code, in the dialect of
// device/kernel.hpp. `C` has f64, divide(), bits() and float_from().
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

// Option values in the precision of the formulas.
template <class F> struct FloatVifConstants {
    F noise;           // nsq
    float gain_limit;  // G
    float below_noise; // K: slope of the numerator where the reference is below the noise
    // 1 / nsq if nsq is a power of two, else 0. s / nsq is exact then, and at least 1 where it counts; so 1 + s / nsq
    // is exact in F, and rounded once however it is computed.
    float inverse_noise = 0.0f;
};

// log2 by a polynomial in the mantissa. Splits infinities and NaNs like any other bit pattern.
template <class C> VMAF_DEVICE_FN float float_vif_log2(float value) {
    if (value == 0.0f) return C::float_from(0xff800000u);
    if (value < 0.0f) return C::float_from(0x7fc00000u);
    const u32 bits = C::bits(value);
    const int exponent = static_cast<int>(bits >> 23 & 255) - 127;
    const float u = C::float_from((bits & 0x7fffff) | 0x3f800000) - 1.0f;
    float p = -0.012671635276421f;
    p = p * u + 0.064841182402670f;
    p = p * u + -0.157048836463065f;
    p = p * u + 0.257167726303123f;
    p = p * u + -0.353800560300520f;
    p = p * u + 0.480131410397451f;
    p = p * u + -0.721314327952201f;
    p = p * u + 1.442694803896991f;
    p = p * u + 0.0f;
    return static_cast<float>(exponent) + p;
}

// Step 3, from the windowed means of R, D, R R, D D and R D.
template <class C> struct FloatVifTerms {
    using f64 = typename C::f64;
    float num, den;

    VMAF_DEVICE_FN FloatVifTerms(float mean_r, float mean_d, float rr, float dd, float rd,
                                 const FloatVifConstants<f64> &constants) {
        const float epsilon = 1.0e-10f;
        float s1 = rr - mean_r * mean_r, s2 = dd - mean_d * mean_d;
        const float s12 = rd - mean_r * mean_d;
        s1 = s1 > 0.0f ? s1 : 0.0f;
        s2 = s2 > 0.0f ? s2 : 0.0f;
        float gain = C::divide(s12, s1 + epsilon);
        float residual = s2 - gain * s12;
        if (s1 < epsilon) gain = 0.0f, residual = s2, s1 = 0.0f;
        if (s2 < epsilon) gain = 0.0f, residual = 0.0f;
        if (gain < 0.0f) residual = s2, gain = 0.0f;
        residual = residual > epsilon ? residual : epsilon;
        gain = gain < constants.gain_limit ? gain : constants.gain_limit;

        if (f64(s1) < constants.noise) {
            num = 1.0f - s2 * constants.below_noise;
            den = 1.0f;
            return;
        }
        const float signal = (gain * gain) * s1;
        den = float_vif_log2<C>(constants.inverse_noise > 0.0f ? 1.0f + s1 * constants.inverse_noise
                                                               : over_noise(s1, constants.noise));
        num = s12 < 0.0f
                  ? 0.0f
                  : float_vif_log2<C>(to_float(f64(1) + C::divide(f64(signal), f64(residual) + constants.noise)));
    }

  private:
    // 1 + s / noise. Without noise it is infinite, and 0 / 0 is NaN (3.8); not every f64 supports these.
    static VMAF_DEVICE_FN float over_noise(float s, f64 noise) {
        if (noise == f64(0)) return C::float_from(s > 0.0f ? 0x7f800000u : 0x7fc00000u);
        return to_float(f64(1) + C::divide(f64(s), noise));
    }
};

} // namespace kernels
} // namespace vmaf
