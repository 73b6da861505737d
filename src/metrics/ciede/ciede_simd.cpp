// fidelity.md 10.2 and 10.3 on vectors. Every quantity that the specification rounds to f32 is rounded here as well;
// between those points the functions of ciede_math-inl.hpp stand for the C library's. They differ in the last bits of
// f64, so that about one rounded value in 10^7 comes out one step of f32 away: scores agree to 1e-9 (10.5), usually to
// all digits.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/aligned.hpp"
#include "metrics/ciede/ciede.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/ciede/ciede_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "metrics/ciede/ciede_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::ciede::HWY_NAMESPACE {

constexpr int kLanes = HWY_LANES(double);
constexpr int kTile = 32 * kLanes; // positions that go through the steps together

// The steps are separate loops over a tile: each is short, so that the processor works on many positions at once.
struct Tile {
    int vectors = 0;
    int stretching = 0;            // the vector whose chroma is next; those one and two before it are half done
    int positions[kTile / kLanes]; // of the vectors, in the row
    // Index 0 is the reference, 1 the distorted picture.
    HWY_ALIGN float L[2][kTile], a[2][kTile], b[2][kTile];
    HWY_ALIGN float P[2][kTile], h[2][kTile];                          // chroma and hue; `a` is then the stretched one
    HWY_ALIGN float least_chroma[kTile];                               // of the unprimed ones
    HWY_ALIGN float lightness[kTile], ct[kTile], ht[kTile], hm[kTile]; // `hm` is RT at last
};

// 10.2: R = Y + 1.28033 V and so on as linear functions of the samples.
struct Transfer {
    explicit Transfer(unsigned bits) {
        const double k = double(1u << (bits - 8)), chroma = 1.0 / (224 * k), grey = 128 * k, black = -16.0 / 219;
        y = 1.0 / (219 * k);
        r_cr = 1.28033 * chroma;
        g_cb = -0.21482 * chroma;
        g_cr = -0.38059 * chroma;
        b_cb = 2.12798 * chroma;
        r = black - grey * r_cr;
        g = black - grey * (g_cb + g_cr);
        b = black - grey * b_cb;
    }
    double y, r_cr, g_cb, g_cr, b_cb; // factors
    double r, g, b;                   // at sample values of 0
};

template <class T> HWY_INLINE Vd load(const T *samples) {
    const hn::Rebind<T, Dd> d;
    return hn::PromoteTo(Dd(), hn::PromoteTo(Di(), hn::LoadU(d, samples)));
}

// Two vectors at `c` each, in place.
HWY_INLINE void linear_light(double *c) {
    const Dd d;
    constexpr double knee = 10.0 / 255.0;
    const auto base = [](Vd v) HWY_ATTR {
        return hn::Max(hn::MulAdd(v, constant(1 / 1.055), constant(0.055 / 1.055)), constant((knee + 0.055) / 1.055));
    };
    const auto chosen = [](Vd v, Vd curve) HWY_ATTR {
        return hn::IfThenElse(hn::Gt(v, constant(knee)), curve, hn::Mul(v, constant(1 / 12.92)));
    };
    const Vd lower = hn::Load(d, c), upper = hn::Load(d, c + kLanes);
    const Pair curve = power_2_4(Pair{base(lower), base(upper)});
    hn::Store(chosen(lower, curve.lower), d, c);
    hn::Store(chosen(upper, curve.upper), d, c + kLanes);
}

HWY_INLINE void lab_curve(double *c) {
    const Dd d;
    const Vd knee = constant(216.0 / 24389.0);
    const auto chosen = [&](Vd v, Vd curve) HWY_ATTR {
        const Vd line = hn::MulAdd(v, constant(24389.0 / 27.0 / 116.0), constant(16.0 / 116.0));
        return rounded(hn::IfThenElse(hn::Gt(v, knee), curve, line));
    };
    const Vd lower = hn::Load(d, c), upper = hn::Load(d, c + kLanes);
    const Pair curve = cube_root(Pair{hn::Max(lower, knee), hn::Max(upper, knee)});
    hn::Store(chosen(lower, curve.lower), d, c);
    hn::Store(chosen(upper, curve.upper), d, c + kLanes);
}

HWY_INLINE Vd weighted(Vd r, Vd g, Vd b, double wr, double wg, double wb) {
    return hn::MulAdd(b, constant(wb), hn::MulAdd(g, constant(wg), hn::Mul(r, constant(wr))));
}

// R, G, B before the transfer function.
template <class T>
HWY_INLINE void gamma_light(const ColourRow<T> &row, int x, const Transfer &transfer, double (&out)[3][kTile], int at) {
    const Dd d;
    const Vd y = hn::Mul(load(row.y + x), constant(transfer.y)), cb = load(row.cb + x), cr = load(row.cr + x);
    const Vd green = hn::MulAdd(cb, constant(transfer.g_cb), constant(transfer.g));
    hn::Store(hn::Add(y, hn::MulAdd(cr, constant(transfer.r_cr), constant(transfer.r))), d, out[0] + at);
    hn::Store(hn::Add(y, hn::MulAdd(cr, constant(transfer.g_cr), green)), d, out[1] + at);
    hn::Store(hn::Add(y, hn::MulAdd(cb, constant(transfer.b_cb), constant(transfer.b))), d, out[2] + at);
}

// Of 8-bit samples, R depends on (y, cr) and B on (y, cb) alone (10.5): both in linear light, by chroma * 256 + y.
struct LinearLight8 {
    LinearLight8() : red(65536), blue(65536) {
        const Transfer transfer(8);
        const auto fill = [&](double factor, double offset, double *out) HWY_ATTR {
            for (int chroma = 0; chroma < 256; chroma++)
                for (int y = 0; y < 256; y += 2 * kLanes, out += 2 * kLanes) {
                    for (int i = 0; i < 2 * kLanes; i++) out[i] = (y + i) * transfer.y + (chroma * factor + offset);
                    linear_light(out);
                }
        };
        fill(transfer.r_cr, transfer.r, red.data());
        fill(transfer.b_cb, transfer.b, blue.data());
    }
    static const LinearLight8 &get() {
        static const LinearLight8 light;
        return light;
    }
    AlignedArray<double> red, blue;
};

// R and B in linear light from the table, G before the transfer function.
HWY_INLINE void red_and_blue(const ColourRow<std::uint8_t> &row, int x, const Transfer &transfer,
                             const LinearLight8 &known, double (&out)[3][kTile], int at) {
    const Dd d;
    const hn::RebindToSigned<Dd> wide;
    const auto integers = [](const std::uint8_t *samples) HWY_ATTR {
        return hn::PromoteTo(Di(), hn::LoadU(hn::Rebind<std::uint8_t, Dd>(), samples));
    };
    const auto iy = integers(row.y + x), icb = integers(row.cb + x), icr = integers(row.cr + x);
    const Vd y = hn::PromoteTo(d, iy), cb = hn::PromoteTo(d, icb), cr = hn::PromoteTo(d, icr);
    const auto red = hn::PromoteTo(wide, hn::Add(hn::ShiftLeft<8>(icr), iy));
    const auto blue = hn::PromoteTo(wide, hn::Add(hn::ShiftLeft<8>(icb), iy));
    const Vd green = hn::MulAdd(cb, constant(transfer.g_cb), constant(transfer.g));
    hn::Store(hn::MulAdd(y, constant(transfer.y), hn::MulAdd(cr, constant(transfer.g_cr), green)), d, out[1] + at);
    hn::Store(hn::GatherIndex(d, known.red.data(), red), d, out[0] + at);
    hn::Store(hn::GatherIndex(d, known.blue.data(), blue), d, out[2] + at);
}

// X, Y, Z relative to white.
HWY_INLINE void tristimulus(double (&light)[3][kTile], int at) {
    const Dd d;
    const Vd r = hn::Load(d, light[0] + at), g = hn::Load(d, light[1] + at), b = hn::Load(d, light[2] + at);
    constexpr double white_x = 0.95047, white_z = 1.08883;
    hn::Store(
        weighted(r, g, b, 0.4124564390896921 / white_x, 0.357576077643909 / white_x, 0.18043748326639894 / white_x), d,
        light[0] + at);
    hn::Store(weighted(r, g, b, 0.21267285140562248, 0.715152155287818, 0.07217499330655958), d, light[1] + at);
    hn::Store(
        weighted(r, g, b, 0.019333895582329317 / white_z, 0.119192025881303 / white_z, 0.9503040785363677 / white_z), d,
        light[2] + at);
}

constexpr double kPi = std::numbers::pi;
constexpr double k25ToThe7th = 6103515625.0;

HWY_INLINE Vd seventh_power(Vd x) {
    const Vd x2 = hn::Mul(x, x), x3 = hn::Mul(x2, x);
    return hn::Mul(hn::Mul(x2, x2), x3);
}

HWY_INLINE Vf chroma(Vd a, Vd b) { return narrowed(hn::Sqrt(hn::MulAdd(a, a, hn::Mul(b, b)))); }

HWY_INLINE Vf mean(Vf a, Vf b) { return hn::Mul(hn::Add(a, b), hn::Set(Df(), 0.5f)); }

HWY_INLINE Vf hue(Vf b, Vf a) {
    const Df d;
    const Vf angle = narrowed(arc_tangent(widened(b), widened(a)));
    const Vf turned = narrowed(hn::Add(widened(angle), constant(2 * kPi)));
    const auto neutral = hn::Eq(hn::Max(hn::Abs(a), hn::Abs(b)), hn::Zero(d));
    return hn::IfThenZeroElse(neutral, hn::IfThenElse(hn::Lt(angle, hn::Zero(d)), turned, angle));
}

// T: the four cosines from one sine and cosine. Both change sign with every half turn; so do the odd multiples.
HWY_INLINE Vd hue_weight(Vd h) {
    const hn::RebindToUnsigned<Dd> du;
    const Vd shifted = hn::MulAdd(h, constant(1 / kPi), constant(kRounding));
    const Vd n = hn::Sub(shifted, constant(kRounding));
    const Vd r = hn::NegMulAdd(n, constant(1.2246467991473532e-16), hn::NegMulAdd(n, constant(kPi), h));
    const Vd s = sine(r), c = cosine(r);
    const Vd s2 = hn::Mul(hn::Add(s, s), c), square = hn::Mul(s, s);
    const Vd c2 = hn::NegMulAdd(constant(2.0), square, constant(1.0));
    // cos and sin of 30, 6 and 63 degrees
    constexpr double c30 = 0.86602540378443864676, s30 = 0.5, c6 = 0.99452189536827333692, s6 = 0.10452846326765347140,
                     c63 = 0.45399049973954679156, s63 = 0.89100652418836786236;
    const Vd odd_c = hn::MulAdd(square, constant(-4 * 0.32 * c6), constant(0.32 * c6 - 0.17 * c30));
    const Vd odd_s = hn::MulAdd(square, constant(4 * 0.32 * s6), constant(-3 * 0.32 * s6 - 0.17 * s30));
    const Vd odd = hn::MulAdd(c, odd_c, hn::Mul(s, odd_s));
    const Vd inner = hn::MulAdd(s2, constant(-0.4 * s63), hn::MulAdd(c2, constant(-0.4 * c63), constant(0.24)));
    const Vd even = hn::MulAdd(c2, inner, constant(1.0 + 0.2 * c63));
    const auto half_turn = hn::ShiftLeft<63>(hn::BitCast(du, shifted));
    return hn::Add(even, hn::BitCast(Dd(), hn::Xor(hn::BitCast(du, odd), half_turn)));
}

// RT. Beyond 6.2 the bell of g is too low to be seen in the result (10.5).
HWY_INLINE Vf rotation(Vd mean_chroma, Vd hm) {
    const Df d;
    const Vd degrees = rounded(hn::Mul(hm, constant(180 / kPi)));
    const Vf g = narrowed(hn::Mul(hn::Sub(degrees, constant(275.0)), constant(1 / 25.0)));
    if (hn::AllTrue(d, hn::Ge(hn::Abs(g), hn::Set(d, 6.2f)))) return hn::Zero(d);
    const Vd e60 = rounded(hn::Mul(exponential(hn::Neg(widened(hn::Mul(g, g)))), constant(60.0)));
    const Vd rho = rounded(hn::Mul(e60, constant(kPi / 180)));
    const Vf c7 = narrowed(seventh_power(mean_chroma));
    const Vf share = hn::Div(c7, hn::Add(c7, hn::Set(d, float(k25ToThe7th))));
    return narrowed(hn::Mul(hn::Mul(constant(-2.0), hn::Sqrt(widened(share))), sine(rho)));
}

// C, the stretched a, P: in three steps, each of two or three roots and quotients that do not wait for each other.
// Vector `i` of the tile; there may be none.
HWY_INLINE void unprimed_chroma(Tile &tile, int i) {
    const Df d;
    if (i < 0 || i >= tile.vectors) return;
    i *= kLanes;
    const Vf C1 = chroma(widened(hn::Load(d, tile.a[0] + i)), widened(hn::Load(d, tile.b[0] + i)));
    const Vf C2 = chroma(widened(hn::Load(d, tile.a[1] + i)), widened(hn::Load(d, tile.b[1] + i)));
    hn::Store(hn::Min(C1, C2), d, tile.least_chroma + i);
    hn::Store(mean(C1, C2), d, tile.P[0] + i);
}

HWY_INLINE void stretch_a(Tile &tile, int i) {
    const Df d;
    if (i < 0 || i >= tile.vectors) return;
    i *= kLanes;
    const Vd c7 = seventh_power(widened(hn::Load(d, tile.P[0] + i)));
    const Vd stretch = hn::Sub(constant(1.0), hn::Sqrt(hn::Div(c7, hn::Add(c7, constant(k25ToThe7th)))));
    const Vd half_stretch = hn::Mul(stretch, constant(0.5));
    for (auto &a : tile.a) {
        const Vd wide = widened(hn::Load(d, a + i));
        hn::Store(narrowed(hn::MulAdd(wide, half_stretch, wide)), d, a + i);
    }
}

HWY_INLINE void primed_chroma(Tile &tile, int i) {
    const Df d;
    if (i < 0 || i >= tile.vectors) return;
    i *= kLanes;
    for (int k = 0; k < 2; k++)
        hn::Store(chroma(widened(hn::Load(d, tile.a[k] + i)), widened(hn::Load(d, tile.b[k] + i))), d, tile.P[k] + i);
}

// R, G, B of a tile; later fx, fy, fz.
struct Light {
    HWY_ALIGN double channels[3][kTile];
};

// While the cube roots of this tile keep the multipliers busy, the square roots and quotients of the one before keep
// the divider busy, which would otherwise be waited for.
template <class T>
void make_colours(Tile &tile, const ColourRow<T> &row, int picture, const Transfer &transfer, Tile &earlier) {
    const Dd d;
    const Df df;
    Light memory;
    auto &light = memory.channels;
    const int vectors = round_up(tile.vectors, 2), count = vectors * kLanes; // two vectors at a time
    constexpr bool known = sizeof(T) == 1;                                   // R and B
    const LinearLight8 *const table = known ? &LinearLight8::get() : nullptr;
    for (int i = 0; i < vectors; i++) {
        const int x = tile.positions[std::min(i, tile.vectors - 1)];
        if constexpr (known)
            red_and_blue(row, x, transfer, *table, light, i * kLanes);
        else
            gamma_light(row, x, transfer, light, i * kLanes);
    }
    for (int channel = 0; channel < 3; channel++)
        for (int i = 0; i < count && (channel == 1 || !known); i += 2 * kLanes) linear_light(light[channel] + i);
    for (int i = 0; i < count; i += kLanes) tristimulus(light, i);
    for (int i = 0; i < count; i += 2 * kLanes) {
        lab_curve(light[0] + i);
        unprimed_chroma(earlier, earlier.stretching);
        lab_curve(light[1] + i);
        stretch_a(earlier, earlier.stretching - 1);
        lab_curve(light[2] + i);
        primed_chroma(earlier, earlier.stretching - 2);
        earlier.stretching++;
    }
    for (int i = 0; i < count; i += kLanes) {
        const Vd fx = hn::Load(d, light[0] + i), fy = hn::Load(d, light[1] + i), fz = hn::Load(d, light[2] + i);
        hn::Store(narrowed(hn::MulAdd(fy, constant(116.0), constant(-16.0))), df, tile.L[picture] + i);
        hn::Store(narrowed(hn::Mul(hn::Sub(fx, fy), constant(500.0))), df, tile.a[picture] + i);
        hn::Store(narrowed(hn::Mul(hn::Sub(fy, fz), constant(200.0))), df, tile.b[picture] + i);
    }
}

// The terms of lightness, chroma and hue, each divided by its weight.
HWY_INLINE void weigh_terms(Tile &tile, int i) {
    const Df d;
    const Vf L1 = hn::Load(d, tile.L[0] + i), L2 = hn::Load(d, tile.L[1] + i);
    const Vd from_middle = widened(hn::Sub(mean(L1, L2), hn::Set(d, 50.0f)));
    const Vd z = hn::Mul(from_middle, from_middle);
    const Vf SL =
        narrowed(hn::Add(constant(1.0), hn::Div(hn::Mul(z, constant(0.015)), hn::Sqrt(hn::Add(z, constant(20.0))))));
    hn::Store(hn::Div(hn::Sub(L2, L1), hn::Mul(hn::Set(d, 0.65f), SL)), d, tile.lightness + i);

    const Vf P1 = hn::Load(d, tile.P[0] + i), P2 = hn::Load(d, tile.P[1] + i);
    const Vd Pm = widened(mean(P1, P2));
    const Vf SC = narrowed(hn::MulAdd(Pm, constant(0.045), constant(1.0)));
    hn::Store(hn::Div(hn::Sub(P2, P1), SC), d, tile.ct + i);

    const Vf h1 = hn::Load(d, tile.h[0] + i), h2 = hn::Load(d, tile.h[1] + i);
    const Vf turn = hn::Sub(h2, h1), half_sum = hn::Mul(hn::Add(h1, h2), hn::Set(d, 0.5f));
    const auto far_apart = hn::Gt(hn::Abs(turn), hn::Set(d, 3.14159250259f)); // the largest f32 below pi
    const Vd back = hn::CopySign(constant(2 * kPi), hn::Neg(widened(turn)));
    Vf dh = hn::IfThenElse(far_apart, narrowed(hn::Add(widened(turn), back)), turn);
    dh = hn::IfThenZeroElse(hn::Eq(hn::Load(d, tile.least_chroma + i), hn::Zero(d)), dh);
    const Vf hm = hn::IfThenElse(far_apart, narrowed(hn::Add(widened(half_sum), constant(kPi))), half_sum);
    hn::Store(hm, d, tile.hm + i);
    const Vd twice_root = hn::Mul(constant(2.0), hn::Sqrt(widened(hn::Mul(P1, P2))));
    const Vf dH = narrowed(hn::Mul(twice_root, sine(hn::Mul(widened(dh), constant(0.5)))));
    const Vd T = rounded(hue_weight(widened(hm)));
    const Vf SH = narrowed(hn::MulAdd(hn::Mul(Pm, constant(0.015)), T, constant(1.0)));
    hn::Store(hn::Div(dH, hn::Mul(hn::Set(d, 4.0f), SH)), d, tile.ht + i);
}

HWY_INLINE void rotate(Tile &tile, int i) {
    const Df d;
    const Vd Pm = widened(mean(hn::Load(d, tile.P[0] + i), hn::Load(d, tile.P[1] + i)));
    hn::Store(rotation(Pm, widened(hn::Load(d, tile.hm + i))), d, tile.hm + i);
}

HWY_INLINE Vf combined(const Tile &tile, int i) {
    const Df d;
    const Vf RT = hn::Load(d, tile.hm + i);
    const Vf lightness = hn::Load(d, tile.lightness + i), ct = hn::Load(d, tile.ct + i), ht = hn::Load(d, tile.ht + i);
    const Vd wide_l = widened(lightness), wide_c = widened(ct), wide_h = widened(ht);
    const Vd cross = widened(hn::Mul(hn::Mul(RT, ct), ht));
    const Vd squares = hn::MulAdd(wide_h, wide_h, hn::MulAdd(wide_c, wide_c, hn::Mul(wide_l, wide_l)));
    return narrowed(hn::Sqrt(hn::Add(squares, cross)));
}

void make_differences(Tile &tile, int width, float *out) {
    const Df d;
    const int count = tile.vectors * kLanes;
    for (; tile.stretching < tile.vectors + 2; tile.stretching++) {
        unprimed_chroma(tile, tile.stretching);
        stretch_a(tile, tile.stretching - 1);
        primed_chroma(tile, tile.stretching - 2);
    }
    for (int picture = 0; picture < 2; picture++)
        for (int i = 0; i < count; i += kLanes)
            hn::Store(hue(hn::Load(d, tile.b[picture] + i), hn::Load(d, tile.a[picture] + i)), d, tile.h[picture] + i);
    for (int i = 0; i < count; i += kLanes) weigh_terms(tile, i);
    for (int i = 0; i < count; i += kLanes) rotate(tile, i);
    for (int i = 0; i < tile.vectors; i++) {
        const Vf v = combined(tile, i * kLanes);
        const int x = tile.positions[i];
        if (x + kLanes <= width) {
            hn::StoreU(v, d, out + x);
        } else {
            HWY_ALIGN float last[kLanes];
            hn::StoreU(v, d, last);
            std::copy_n(last, width - x, out + x);
        }
    }
}

// Lanes whose samples are all equal.
template <class T> HWY_INLINE bool all_equal(const ColourRow<T> &ref, const ColourRow<T> &dist, int x) {
    constexpr std::size_t bytes = kLanes * sizeof(T);
    return std::memcmp(ref.y + x, dist.y + x, bytes) == 0 && std::memcmp(ref.cb + x, dist.cb + x, bytes) == 0 &&
           std::memcmp(ref.cr + x, dist.cr + x, bytes) == 0;
}

// Equal colours come out as an exact 0 here, too.
template <class T>
void row_differences(const ColourRow<T> &ref, const ColourRow<T> &dist, int width, unsigned bits, float *out) {
    const Transfer transfer(bits);
    Tile tiles[2];
    int current = 0;
    for (int x = 0; x < width; current ^= 1) {
        Tile &tile = tiles[current], &earlier = tiles[current ^ 1];
        tile.vectors = tile.stretching = 0;
        for (; tile.vectors < kTile / kLanes && x < width; x += kLanes) {
            if (all_equal(ref, dist, x))
                std::fill(out + x, out + std::min(x + kLanes, width), 0.0f);
            else
                tile.positions[tile.vectors++] = x;
        }
        make_colours(tile, ref, 0, transfer, earlier);
        make_colours(tile, dist, 1, transfer, earlier);
        make_differences(earlier, width, out);
    }
    make_differences(tiles[current ^ 1], width, out);
}

// In several chains: one alone would wait for each addition.
double add(double so_far, const float *differences, int count) {
    const Dd d;
    const Df df;
    Vd sums[4] = {constant(0.0), constant(0.0), constant(0.0), constant(0.0)};
    int i = 0;
    for (; i + 4 * kLanes <= count; i += 4 * kLanes)
        for (int k = 0; k < 4; k++) sums[k] = hn::Add(sums[k], widened(hn::LoadU(df, differences + i + k * kLanes)));
    HWY_ALIGN double lanes[kLanes];
    hn::Store(hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3])), d, lanes);
    double sum = 0;
    for (const double lane : lanes) sum += lane;
    for (; i < count; i++) sum += double(differences[i]);
    return so_far + sum;
}

const Functions functions = {row_differences<std::uint8_t>, row_differences<std::uint16_t>, add};

} // namespace vmaf::ciede::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::ciede {

const Functions &pick_functions(Isa isa) {
    static constexpr SimdTable<const Functions> kTable = {.scalar = &scalar_functions, VMAF_VECTOR_VERSIONS(functions)};
    return *kTable.pick(isa);
}

} // namespace vmaf::ciede
#endif
