// Device kernels of ciede (fidelity.md 10): the colour difference of every position.
// The functions are right to 1e-12; what follows from them is rounded to single precision, so that nearly all
// differences have the bits of the CPU's.
#pragma once

#include "device/kernel.hpp"
#include "metrics/ciede/ciede_math_kernel.hpp"

namespace vmaf {
namespace kernels {

template <class C> struct CiedeColour {
    using f64 = typename C::f64;
    using M = CiedeMath<C>;

    struct Lab {
        float l, a, b;
    };

    // 10.2. Bits of f64: 1 / 219 and 1 / 224 of the depth.
    static VMAF_DEVICE_FN Lab lab(int y, int cb, int cr, int bits, u64 luma_scale, u64 chroma_scale) {
        const int k = 1 << (bits - 8);
        const f64 luma = C::f64_from(luma_scale), chroma = C::f64_from(chroma_scale);
        const f64 light = f64(y - 16 * k) * luma, u = f64(cb - 128 * k) * chroma, v = f64(cr - 128 * k) * chroma;
        const f64 r = linear_light(light + constant<0x3ff47c3b4f616723ull>() * v);
        const f64 g =
            linear_light((light - constant<0x3fcb7f38c5436b90ull>() * u) - constant<0x3fd85b9628cbd124ull>() * v);
        const f64 b = linear_light(light + constant<0x4001061a60d4562eull>() * u);
        const f64 x = (r * constant<0x3fda65afb13a8cccull>() + g * constant<0x3fd6e286c5d400c0ull>()) +
                      b * constant<0x3fc7189350cd0583ull>();
        const f64 w = (r * constant<0x3fcb38dd2ec46132ull>() + g * constant<0x3fe6e286c5d400c0ull>()) +
                      b * constant<0x3fb27a0f73d7379cull>();
        const f64 z = (r * constant<0x3f93cc43c4ebe999ull>() + g * constant<0x3fbe835e5d1aababull>()) +
                      b * constant<0x3fee68e419523630ull>();
        const f64 fx = curve(x * constant<0x3ff0d57268615430ull>()), fy = curve(w),
                  fz = curve(z * constant<0x3fed63ac153514f5ull>());
        return {to_float(f64(116) * fy - f64(16)), to_float(f64(500) * (fx - fy)), to_float(f64(200) * (fy - fz))};
    }

    // 10.3. Every quantity with a name of its own is stored as f32.
    static VMAF_DEVICE_FN float difference(const Lab &one, const Lab &two) {
        const float c1 = length(one.a, one.b), c2 = length(two.a, two.b);
        const f64 stretch = a_stretch((c1 + c2) * 0.5f);
        const float a1 = to_float(f64(one.a) + f64(one.a * 0.5f) * stretch),
                    a2 = to_float(f64(two.a) + f64(two.a * 0.5f) * stretch);
        const float p1 = length(a1, one.b), p2 = length(a2, two.b), pm = (p1 + p2) * 0.5f;
        const float h1 = hue(one.b, a1), h2 = hue(two.b, a2);
        const bool far = far_apart(h1, h2);
        const float dh = c1 == 0.0f || c2 == 0.0f ? 0.0f : hue_difference(h1, h2, far);
        const f64 sum = f64(h1 + h2);
        const float hm = to_float((far ? sum + constant<0x401921fb54442d18ull>() : sum) * f64(0.5f));

        const float dl = two.l - one.l, dp = p2 - p1;
        const float dhue =
            to_float((f64(2) * M::square_root(f64(p1 * p2))) * M::sine_and_cosine(f64(dh) * f64(0.5f)).sine);
        const float sl = lightness_scale((one.l + two.l) * 0.5f);
        const float sc = to_float(f64(1) + constant<0x3fa70a3d70a3d70aull>() * f64(pm));
        const float sh = to_float(f64(1) + (constant<0x3f8eb851eb851eb8ull>() * f64(pm)) * f64(hue_weight(f64(hm))));
        const float lightness = C::divide(dl, 0.65f * sl), chroma = C::divide(dp, sc),
                    hues = C::divide(dhue, 4.0f * sh);
        const float cross = rotation(pm, hm) * chroma * hues;
        return to_float(M::square_root(((squared(lightness) + squared(chroma)) + squared(hues)) + f64(cross)));
    }

  private:
    template <u64 kBits> static VMAF_DEVICE_FN f64 constant() { return F64<f64>::from_bits(kBits); }
    static VMAF_DEVICE_FN f64 squared(float v) { return f64(v) * f64(v); }
    static VMAF_DEVICE_FN float length(float a, float b) { return to_float(M::square_root(squared(a) + squared(b))); }
    static VMAF_DEVICE_FN f64 seventh_power(float v) {
        const f64 w(v), w2 = w * w, w4 = w2 * w2;
        return (w4 * w2) * w;
    }

    static VMAF_DEVICE_FN f64 linear_light(f64 c) {
        return c > constant<0x3fa4141414141414ull>()
                   ? M::power_2_4((c + constant<0x3fac28f5c28f5c29ull>()) * constant<0x3fee54edcd0aeb60ull>())
                   : c * constant<0x3fb3d0722149b580ull>();
    }
    static VMAF_DEVICE_FN f64 curve(f64 c) {
        const f64 value = c > constant<0x3f822354d28f7cd6ull>()
                              ? M::cube_root(c)
                              : (constant<0x408c3a5ed097b426ull>() * c + f64(16)) * constant<0x3f81a7b9611a7b96ull>();
        return f64(to_float(value));
    }
    // How much the a axis is stretched for nearly neutral colours.
    static VMAF_DEVICE_FN f64 a_stretch(float mean_chroma) {
        const f64 c7 = seventh_power(mean_chroma);
        return f64(1) - M::square_root(M::quotient(c7, c7 + constant<0x41f6bcc41e900000ull>()));
    }
    static VMAF_DEVICE_FN float hue(float b, float a) {
        if (b == 0.0f && a == 0.0f) return 0.0f;
        const float angle = to_float(M::arc_tangent(f64(b), f64(a)));
        return angle < 0.0f ? to_float(f64(angle) + constant<0x401921fb54442d18ull>()) : angle;
    }
    static VMAF_DEVICE_FN bool far_apart(float h1, float h2) {
        const float d = h1 - h2;
        return f64(d < 0.0f ? -d : d) > constant<0x400921fb54442d18ull>();
    }
    static VMAF_DEVICE_FN float hue_difference(float h1, float h2, bool far) {
        const float d = h2 - h1;
        if (!far) return d;
        return to_float(h2 <= h1 ? f64(d) + constant<0x401921fb54442d18ull>()
                                 : f64(d) - constant<0x401921fb54442d18ull>());
    }
    // Cosines of hm - 30, 2 hm, 3 hm + 6 and 4 hm - 63 degrees, from one.
    static VMAF_DEVICE_FN float hue_weight(f64 hm) {
        const typename M::SineCosine one = M::sine_and_cosine(hm);
        const f64 c = one.cosine, s = one.sine, c2 = f64(2) * c * c - f64(1), s2 = f64(2) * s * c;
        const f64 c3 = c2 * c - s2 * s, s3 = s2 * c + c2 * s, c4 = f64(2) * c2 * c2 - f64(1), s4 = f64(2) * s2 * c2;
        const f64 by_30 = c * constant<0x3febb67ae8584cabull>() + s * constant<0x3fdfffffffffffffull>();
        const f64 by_6 = c3 * constant<0x3fefd31f94f867c6ull>() - s3 * constant<0x3fbac2609b3c576bull>();
        const f64 by_63 = c4 * constant<0x3fdd0e2e2b44de01ull>() + s4 * constant<0x3fec83201d3d2c6cull>();
        const f64 first = f64(1) - constant<0x3fc5c28f5c28f5c3ull>() * by_30,
                  second = first + constant<0x3fceb851eb851eb8ull>() * c2,
                  third = second + constant<0x3fd47ae147ae147bull>() * by_6;
        return to_float(third - constant<0x3fc999999999999aull>() * by_63);
    }
    static VMAF_DEVICE_FN float rotation(float mean_chroma, float hm) {
        const float degrees = to_float(f64(hm) * constant<0x404ca5dc1a63c1f8ull>());
        const float g = to_float((f64(degrees) - f64(275)) * constant<0x3fa47ae147ae147bull>());
        const float exponent = g * g;
        const float e60 = to_float(f64(60) * M::exponential(-f64(exponent)));
        const float rho = to_float(f64(e60) * constant<0x3f91df46a2529d39ull>());
        const float c7 = to_float(seventh_power(mean_chroma)), share = C::divide(c7, c7 + 6103515625.0f);
        return to_float((f64(-2) * M::square_root(f64(share))) * M::sine_and_cosine(f64(rho)).sine);
    }
    static VMAF_DEVICE_FN float lightness_scale(float mean_lightness) {
        const f64 z = squared(mean_lightness - 50.0f);
        return to_float(f64(1) + M::quotient(constant<0x3f8eb851eb851eb8ull>() * z, M::square_root(f64(20) + z)));
    }
};

struct CiedeArgs {
    PicturePlanes planes[3];
    int width, height, chroma_width, chroma_height;
    int halved_rows, halved_columns; // how chroma is found from luma (10.1)
    int bits;
    u64 luma_scale, chroma_scale; // bits of f64
    FrameArray<float> differences;
};

template <class C, class Sample> struct CiedeKernel {
    using Args = CiedeArgs;
    using Colour = CiedeColour<C>;
    static constexpr int kThreads = 128, kMinBlocks = 4, kTileWidth = 64, kTileHeight = 2;
    struct SharedMemory {
        u32 unused;
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const int x = c.block_x * kTileWidth + c.thread % kTileWidth,
                  y = c.block_y * kTileHeight + c.thread / kTileWidth;
        if (x >= a.width || y >= a.height) return;
        int ref[3], dist[3];
        sample(c, a, false, x, y, ref);
        sample(c, a, true, x, y, dist);
        const bool equal = ref[0] == dist[0] && ref[1] == dist[1] && ref[2] == dist[2];
        a.differences.of(c.frame)[static_cast<u64>(y) * static_cast<u64>(a.width) + static_cast<u64>(x)] =
            equal ? 0.0f : Colour::difference(lab(a, ref), lab(a, dist));
    }

  private:
    static VMAF_DEVICE_FN typename Colour::Lab lab(const Args &a, const int (&v)[3]) {
        return Colour::lab(v[0], v[1], v[2], a.bits, a.luma_scale, a.chroma_scale);
    }
    static VMAF_DEVICE_FN int load(C &c, const PicturePlanes &planes, bool dist, int x, int y) {
        Global<const Sample> plane =
            static_cast<Global<const Sample>>(dist ? planes.dist_of(c.frame) : planes.ref_of(c.frame));
        return C::load(plane + static_cast<u64>(y) * static_cast<u64>(planes.pitch) + static_cast<u64>(x));
    }
    static VMAF_DEVICE_FN void sample(C &c, const Args &a, bool dist, int x, int y, int *out) {
        out[0] = load(c, a.planes[0], dist, x, y);
        const int row = a.halved_rows ? y / 2 : y, column = a.halved_columns ? x / 2 : x;
        out[1] = chroma(c, a, 1, dist, column, row);
        out[2] = chroma(c, a, 2, dist, column, row);
    }
    // What a canonical layout has there: row pitches of a multiple of 32 samples, zeros between the rows, Cr directly
    // after Cb and zeros after Cr.
    static VMAF_DEVICE_FN int chroma(C &c, const Args &a, int plane, bool dist, int column, int row) {
        const int pitch = (a.chroma_width + 31) / 32 * 32;
        if (pitch == 0) return 0;
        row += column / pitch;
        column %= pitch;
        if (row >= a.chroma_height && plane == 1) {
            row -= a.chroma_height;
            plane = 2;
        }
        return row < a.chroma_height && column < a.chroma_width ? load(c, a.planes[plane], dist, column, row) : 0;
    }
};

template <class C> using ciede_8 = CiedeKernel<C, u8>;
template <class C> using ciede_16 = CiedeKernel<C, u16>;

} // namespace kernels
} // namespace vmaf
