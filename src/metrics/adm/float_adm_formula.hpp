// The arithmetic of one coefficient of `float_adm` (adm.md 4.4 to 4.7), shared by CPU and device code, in the dialect
// of device/kernel.hpp. `C` has f64, bits() and float_from().
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

// 4.4
VMAF_DEVICE_FN constexpr float float_adm_low(int k) {
    return k == 0   ? 0.482962913144690f
           : k == 1 ? 0.836516303737469f
           : k == 2 ? 0.224143868041857f
                    : -0.129409522550921f;
}
VMAF_DEVICE_FN constexpr float float_adm_high(int k) {
    return k == 0   ? -0.129409522550921f
           : k == 1 ? -0.224143868041857f
           : k == 2 ? 0.836516303737469f
                    : -0.482962913144690f;
}

template <class C> struct FloatAdm {
    using f64 = typename C::f64;

    static VMAF_DEVICE_FN float low(float x0, float x1, float x2, float x3) {
        return ((float_adm_low(0) * x0 + float_adm_low(1) * x1) + float_adm_low(2) * x2) + float_adm_low(3) * x3;
    }
    static VMAF_DEVICE_FN float high(float x0, float x1, float x2, float x3) {
        return ((float_adm_high(0) * x0 + float_adm_high(1) * x1) + float_adm_high(2) * x2) + float_adm_high(3) * x3;
    }

    // The reciprocal that libvmaf computes on Intel processors: their 12-bit estimate (RCPSS) and one Newton step
    // (4.5). Other vendors' estimates differ, so this rebuilds Intel's: the reciprocal of the middle of one of 2048
    // intervals, rounded to 13 bits. For normal numbers with a normal reciprocal.
    static VMAF_DEVICE_FN float refined_reciprocal(float d) {
        const u32 bits = C::bits(d);
        const u32 middle = 2 * ((bits & 0x7fffff) >> 12) + 4097; // times 2^-12
        const u32 rounded = ((1u << 26) / middle + 1) >> 1;      // times 2^-13
        const u32 exponent = (bits >> 23) & 0xff;
        const u32 magnitude = C::bits(static_cast<float>(rounded)) + ((114 - exponent) << 23);
        const float estimate = C::float_from(magnitude | (bits & 0x80000000));
        return estimate + estimate * (1.0f - d * estimate);
    }

    // Whether the distorted detail points in the direction of the reference detail, to within one degree (4.5).
    static VMAF_DEVICE_FN bool same_angle(float o_h, float o_v, float t_h, float t_v) {
        const float cosine_squared = 0.99969542f;
        const float dot = o_h * t_h + o_v * t_v, oo = o_h * o_h + o_v * o_v, tt = t_h * t_h + t_v * t_v;
        return dot >= 0.0f && dot * dot >= (cosine_squared * oo) * tt;
    }

    // The part of the distorted coefficient t that copies the reference coefficient o.
    static VMAF_DEVICE_FN float restored(float o, float t, bool aligned, f64 gain_limit) {
        float k = t * refined_reciprocal(o + 1e-30f);
        k = k < 0.0f ? 0.0f : k > 1.0f ? 1.0f : k;
        const float r = k * o;
        if (!aligned || r == 0.0f) return r;
        const f64 enhanced = f64(r) * gain_limit, limit = f64(t);
        return to_float((r > 0.0f ? limit < enhanced : enhanced < limit) ? limit : enhanced);
    }

    // 4.7: a coefficient's contribution to the thresholds around it, and to its own.
    static VMAF_DEVICE_FN float neighbour(float magnitude) {
        return to_float(F64<f64>::from_bits(0x3fa11111203e01fcull) * f64(magnitude)); // 0.0333333351
    }
    static VMAF_DEVICE_FN float with_centre(float sum, float magnitude) {
        return to_float(f64(sum) + F64<f64>::from_bits(0x3fb111111fd00e7dull) * f64(magnitude)); // 0.0666666701
    }
    static VMAF_DEVICE_FN float cube(float x) { return (x * x) * x; }
};

} // namespace kernels
} // namespace vmaf
