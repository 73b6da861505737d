// Functions for ciede's device kernels, accurate to 1e-12, since results are rounded to single precision. Quotients
// start in single precision and are corrected once, so none needs a 64-bit division.
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

template <class C, bool kFused> struct CiedeSum {
    using f64 = typename C::f64;
    static VMAF_DEVICE_FN f64 of(f64 a, f64 b, f64 c) { return a * b + c; }
};
template <class C> struct CiedeSum<C, true> {
    using f64 = typename C::f64;
    static VMAF_DEVICE_FN f64 of(f64 a, f64 b, f64 c) { return C::multiply_add(a, b, c); }
};

template <class C> struct CiedeMath {
    using f64 = typename C::f64;
    struct SineCosine {
        f64 sine, cosine;
    };

    template <u64 kBits> static VMAF_DEVICE_FN f64 constant() { return F64<f64>::from_bits(kBits); }
    static VMAF_DEVICE_FN f64 sum(f64 a, f64 b, f64 c) { return CiedeSum<C, C::kFastF64>::of(a, b, c); }

    // For numbers in the range of floats, b not 0.
    static VMAF_DEVICE_FN f64 quotient(f64 a, f64 b) {
        const float reciprocal = C::reciprocal_estimate(to_float(b));
        const f64 q(to_float(a) * reciprocal);
        return q + f64(to_float(sum(-q, b, a)) * reciprocal);
    }
    static VMAF_DEVICE_FN f64 square_root(f64 v) {
        const float estimate = C::square_root(to_float(v));
        if (estimate == 0.0f) return f64(estimate);
        const f64 root(estimate);
        return root + f64(to_float(sum(-root, root, v)) * (0.5f * C::reciprocal_estimate(estimate)));
    }
    // Halley's method, for x > 0: each step cubes the error.
    static VMAF_DEVICE_FN f64 cube_root(f64 x) {
        const float rough = to_float(x);
        float y = C::float_from(C::bits(rough) / 3 + 0x2a5137a0u); // within 4 %
        VMAF_UNROLL
        for (int i = 0; i < 2; i++) {
            const float cube = (y * y) * y;
            y = y + y * ((rough - cube) * C::reciprocal_estimate((cube + cube) + rough));
        }
        const f64 root(y), square = root * root;
        const float cube = (y * y) * y;
        return root + f64(y * (to_float(sum(-square, root, x)) * C::reciprocal_estimate((cube + cube) + rough)));
    }
    static VMAF_DEVICE_FN f64 power_2_4(f64 x) { // x * x * its fifth root squared
        const float rough = to_float(x);
        float y = C::float_from(C::bits(rough) / 5 + 0x32c84701u); // within 4 %
        VMAF_UNROLL
        for (int i = 0; i < 2; i++) {
            const float power = ((y * y) * (y * y)) * y;
            y = y + y * ((rough - power) * C::reciprocal_estimate((power + power) + (power + (rough + rough))));
        }
        const f64 root(y), square = root * root, fourth = square * square;
        const float divisor = C::reciprocal_estimate(5.0f * rough); // of a correction: to single precision
        const f64 better = x * (root + f64(y * (to_float(sum(-fourth, root, x)) * divisor)));
        return better * better;
    }

    static VMAF_DEVICE_FN f64 exponential(f64 x) { // for |x| up to 700
        const f64 k = floor_of(x * constant<0x3ff71547652b82feull>() + constant<0x3fe0000000000000ull>());
        const f64 r = (x - k * constant<0x3fe62e42fee00000ull>()) - k * constant<0x3dea39ef35793c76ull>();
        const f64 tail =
            series<0x3fe0000000000000ull, 0x3fc5555555555555ull, 0x3fa5555555555555ull, 0x3f81111111111111ull,
                   0x3f56c16c16c16c17ull, 0x3f2a01a01a01a01aull, 0x3efa01a01a01a01aull, 0x3ec71de3a556c734ull,
                   0x3e927e4fb7789f5cull, 0x3e5ae64567f544e4ull>(r);
        const f64 value = constant<0x3ff0000000000000ull>() + (r + (r * r) * tail);
        return C::f64_from(C::bits(value) + (static_cast<u64>(truncated(k)) << 52));
    }

    static VMAF_DEVICE_FN SineCosine sine_and_cosine(f64 x) { // for |x| up to 1e5
        const f64 k = floor_of(x * constant<0x3fe45f306dc9c883ull>() + constant<0x3fe0000000000000ull>());
        const f64 r = (x - k * constant<0x3ff921fb54400000ull>()) - k * constant<0x3dd0b4611a626331ull>();
        const int quadrant = static_cast<int>(truncated(k));
        const f64 z = r * r;
        const f64 even = sum(sum(z,
                                 series<0x3fa5555555555555ull, 0xbf56c16c16c16c17ull, 0x3efa01a01a01a01aull,
                                        0xbe927e4fb7789f5cull, 0x3e21eed8eff8d898ull, 0xbda93974a8c07c9dull>(z),
                                 constant<0xbfe0000000000000ull>()),
                             z, constant<0x3ff0000000000000ull>());
        const f64 odd = sum(r * z,
                            series<0xbfc5555555555555ull, 0x3f81111111111111ull, 0xbf2a01a01a01a01aull,
                                   0x3ec71de3a556c734ull, 0xbe5ae64567f544e4ull, 0x3de6124613a86d09ull>(z),
                            r);
        const f64 sine = quadrant & 1 ? even : odd, cosine = quadrant & 1 ? odd : even;
        return {quadrant & 2 ? -sine : sine, (quadrant + 1) & 2 ? -cosine : cosine};
    }

    static VMAF_DEVICE_FN f64 arc_tangent(f64 y, f64 x) { // from -pi to pi; undefined if both are zero
        const f64 zero = constant<0>(), ax = x < zero ? -x : x, ay = y < zero ? -y : y;
        const bool steep = ay > ax;
        const f64 larger = steep ? ay : ax, smaller = steep ? ax : ay;
        // Reduced below tan(pi / 8).
        const bool bent = smaller > larger * constant<0x3fda827999fcef32ull>();
        const f64 t = quotient(bent ? smaller - larger : smaller, bent ? smaller + larger : larger), z = t * t;
        // Interpolated at nine points, to 4e-15.
        f64 angle = sum(t * z,
                        series<0xbfd55555555553a3ull, 0x3fc99999998d154dull, 0xbfc249248aa66afdull,
                               0x3fbc71c3822a8c74ull, 0xbfb74563d3f0c54eull, 0x3fb3a9d8e5b7e385ull,
                               0xbfb0c52f150ae8deull, 0x3faa76c084488a6dull, 0xbf9be27e26b253c1ull>(z),
                        t);
        if (bent) angle = angle + constant<0x3fe921fb54442d18ull>();
        if (steep) angle = constant<0x3ff921fb54442d18ull>() - angle;
        if (x < zero) angle = constant<0x400921fb54442d18ull>() - angle;
        return y < zero ? -angle : angle;
    }

  private:
    // first + x * (next + x * (...))
    template <u64 kFirst> static VMAF_DEVICE_FN f64 series(f64) { return constant<kFirst>(); }
    template <u64 kFirst, u64 kSecond, u64... kRest> static VMAF_DEVICE_FN f64 series(f64 x) {
        return sum(x, series<kSecond, kRest...>(x), constant<kFirst>());
    }
};

} // namespace kernels
} // namespace vmaf
