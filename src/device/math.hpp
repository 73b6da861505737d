// Functions of 64-bit floats in the kernel dialect: one source, the same bits on every device and on the CPU; M::f64 is
// double or SoftF64. Errors are within two units of the last place over the stated ranges, so a result rounded to f32
// equals that of any good library in all but one of some hundred million cases.
//
// Class M: a context, or HostMath (device/host/floats.hpp) in CPU code.
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

template <class M> struct Math {
    using f64 = typename M::f64;

    // e^x for |x| up to 700.
    static VMAF_DEVICE_FN f64 exponential(f64 x) {
        const f64 k = floor_of(x * constant<0x3ff71547652b82feull>() + constant<kHalf>());
        const f64 r =
            (x - k * constant<0x3fe62e42fee00000ull>()) - k * constant<0x3dea39ef35793c76ull>(); // ln 2 in two
        const f64 tail =
            series<0x3fe0000000000000ull, 0x3fc5555555555555ull, 0x3fa5555555555555ull, 0x3f81111111111111ull,
                   0x3f56c16c16c16c17ull, 0x3f2a01a01a01a01aull, 0x3efa01a01a01a01aull, 0x3ec71de3a556c734ull,
                   0x3e927e4fb7789f5cull, 0x3e5ae64567f544e4ull, 0x3e21eed8eff8d898ull, 0x3de6124613a86d09ull,
                   0x3da93974a8c07c9dull>(r);
        return scaled(constant<kOne>() + (r + (r * r) * tail), truncated(k));
    }

    // For normal x > 0.
    static VMAF_DEVICE_FN f64 logarithm(f64 x) {
        f64 e, value;
        split_logarithm(x, e, value);
        return (e * constant<0x3dea39ef35793c76ull>() + value) + e * constant<0x3fe62e42fee00000ull>();
    }
    static VMAF_DEVICE_FN f64 logarithm2(f64 x) {
        f64 e, value;
        split_logarithm(x, e, value);
        return value * constant<0x3ff71547652b82feull>() + e;
    }

    // x^y for normal x > 0 with |y log x| up to 700; relative error up to 1e-13, enough for results in f32.
    static VMAF_DEVICE_FN f64 power(f64 x, f64 y) { return exponential(y * logarithm(x)); }

    // For positive x in the range of floats. Two steps in single precision bring the error below 3e-7, then one in
    // double; each step cubes the error.
    static VMAF_DEVICE_FN f64 cube_root(f64 x) {
        const float rough = to_float(x);
        float estimate = M::float_from(M::bits(rough) / 3 + 0x2a5137a0u); // within 4 %
        for (int i = 0; i < 2; i++) estimate = cube_root_step(rough, estimate);
        return cube_root_step(x, f64(estimate));
    }
    static VMAF_DEVICE_FN f64 fifth_root(f64 x) {
        const float rough = to_float(x);
        float estimate = M::float_from(M::bits(rough) / 5 + 0x32c84701u); // within 4 %
        for (int i = 0; i < 2; i++) estimate = fifth_root_step(rough, estimate);
        return fifth_root_step(x, f64(estimate));
    }
    static VMAF_DEVICE_FN f64 power_2_4(f64 x) {
        const f64 root = fifth_root(x);
        return (x * root) * (x * root);
    }

    // For |x| up to 1e5.
    static VMAF_DEVICE_FN f64 sine(f64 x) { return sine_or_cosine(x, 0); }
    static VMAF_DEVICE_FN f64 cosine(f64 x) { return sine_or_cosine(x, 1); }

    // From -pi to pi; undefined if both are zero.
    static VMAF_DEVICE_FN f64 arc_tangent(f64 y, f64 x) {
        const f64 zero = constant<0>(), ax = x < zero ? -x : x, ay = y < zero ? -y : y;
        const bool steep = ay > ax;
        const f64 larger = steep ? ay : ax, smaller = steep ? ax : ay;
        // Reduced below tan(pi / 8).
        const bool bent = smaller > larger * constant<0x3fda827999fcef32ull>();
        const f64 t = M::divide(bent ? smaller - larger : smaller, bent ? smaller + larger : larger);
        const f64 z = t * t;
        const f64 tail =
            series<0xbfd5555555555555ull, 0x3fc999999999999aull, 0xbfc2492492492492ull, 0x3fbc71c71c71c71cull,
                   0xbfb745d1745d1746ull, 0x3fb3b13b13b13b14ull, 0xbfb1111111111111ull, 0x3fae1e1e1e1e1e1eull,
                   0xbfaaf286bca1af28ull, 0x3fa8618618618618ull, 0xbfa642c8590b2164ull, 0x3fa47ae147ae147bull,
                   0xbfa2f684bda12f68ull, 0x3fa1a7b9611a7b96ull, 0xbfa0842108421084ull, 0x3f9f07c1f07c1f08ull,
                   0xbf9d41d41d41d41dull, 0x3f9bacf914c1bad0ull, 0xbf9a41a41a41a41aull, 0x3f98f9c18f9c18faull>(z);
        f64 angle = t + (t * z) * tail;
        if (bent) angle = angle + constant<0x3fe921fb54442d18ull>();
        if (steep) angle = constant<0x3ff921fb54442d18ull>() - angle;
        if (x < zero) angle = constant<0x400921fb54442d18ull>() - angle;
        return y < zero ? -angle : angle;
    }

  private:
    static constexpr u64 kOne = 0x3ff0000000000000ull, kHalf = 0x3fe0000000000000ull;

    template <u64 kBits> static VMAF_DEVICE_FN f64 constant() { return F64<f64>::from_bits(kBits); }
    // first + x * (next + x * (...))
    template <u64 kFirst> static VMAF_DEVICE_FN f64 series(f64) { return constant<kFirst>(); }
    template <u64 kFirst, u64 kSecond, u64... kRest> static VMAF_DEVICE_FN f64 series(f64 x) {
        return constant<kFirst>() + x * series<kSecond, kRest...>(x);
    }
    // Halley's method.
    template <class F> static VMAF_DEVICE_FN F cube_root_step(F x, F y) {
        const F cube = (y * y) * y;
        return y + y * M::divide(x - cube, (cube + cube) + x);
    }
    template <class F> static VMAF_DEVICE_FN F fifth_root_step(F x, F y) {
        const F square = y * y, power = (square * square) * y;
        return y + y * M::divide(x - power, (power + power) + (power + (x + x)));
    }
    static VMAF_DEVICE_FN f64 scaled(f64 v, i64 exponent) { // the result is a normal number
        return M::f64_from(M::bits(v) + (static_cast<u64>(exponent) << 52));
    }

    // log x = value + e ln 2
    static VMAF_DEVICE_FN void split_logarithm(f64 x, f64 &e, f64 &value) {
        // m in [sqrt(1/2), sqrt(2)): the exponent is one higher where the fraction exceeds sqrt(2).
        const u64 bits = M::bits(x), shifted = bits + (kOne - 0x3fe6a09e667f3bcdull);
        const int exponent = static_cast<int>(shifted >> 52) - 1023;
        const f64 m = M::f64_from(bits - (static_cast<u64>(static_cast<i64>(exponent)) << 52));
        const f64 f = m - constant<kOne>(), s = M::divide(f, f + constant<0x4000000000000000ull>());
        const f64 z = s * s, half_square = (f * f) * constant<kHalf>();
        const f64 tail =
            z * series<0x3fe5555555555555ull, 0x3fd999999999999aull, 0x3fd2492492492492ull, 0x3fcc71c71c71c71cull,
                       0x3fc745d1745d1746ull, 0x3fc3b13b13b13b14ull, 0x3fc1111111111111ull, 0x3fbe1e1e1e1e1e1eull,
                       0x3fbaf286bca1af28ull, 0x3fb8618618618618ull, 0x3fb642c8590b2164ull>(z);
        e = f64(exponent);
        value = f - (half_square - s * (half_square + tail));
    }

    // sin(x + quarters * pi / 2)
    static VMAF_DEVICE_FN f64 sine_or_cosine(f64 x, int quarters) {
        const f64 k = floor_of(x * constant<0x3fe45f306dc9c883ull>() + constant<kHalf>());
        const f64 r = ((x - k * constant<0x3ff921fb54400000ull>()) - k * constant<0x3dd0b4611a600000ull>()) -
                      k * constant<0x3ba3198a2e037073ull>(); // pi / 2 in three parts
        const int quadrant = static_cast<int>(truncated(k)) + quarters;
        const f64 z = r * r;
        f64 out;
        if (quadrant & 1)
            out =
                constant<kOne>() -
                (z * constant<kHalf>() -
                 (z * z) *
                     series<0x3fa5555555555555ull, 0xbf56c16c16c16c17ull, 0x3efa01a01a01a01aull, 0xbe927e4fb7789f5cull,
                            0x3e21eed8eff8d898ull, 0xbda93974a8c07c9dull, 0x3d2ae7f3e733b81full, 0xbca6827863b97d97ull>(
                         z));
        else
            out = r + (r * z) * series<0xbfc5555555555555ull, 0x3f81111111111111ull, 0xbf2a01a01a01a01aull,
                                       0x3ec71de3a556c734ull, 0xbe5ae64567f544e4ull, 0x3de6124613a86d09ull,
                                       0xbd6ae7f3e733b81full, 0x3ce952c77030ad4aull, 0xbc62f49b46814157ull>(z);
        return quadrant & 2 ? -out : out;
    }
};

} // namespace kernels
} // namespace vmaf
