// Per target: scale 0 of `adm` on vectors, almost entirely in 16-bit lanes.
#if defined(VMAF_ADM_SIMD_FIRST_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_ADM_SIMD_FIRST_INL_HPP
#undef VMAF_ADM_SIMD_FIRST_INL_HPP
#else
#define VMAF_ADM_SIMD_FIRST_INL_HPP
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "metrics/adm/adm_simd_vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::adm::HWY_NAMESPACE {

// Samples as signed 16-bit numbers; 16-bit samples minus 32768, the mid-level that 3.4 subtracts.
template <int Bits, class T> HWY_INLINE V16 load_samples(const T *p) {
    if constexpr (sizeof(T) == 1)
        return hn::PromoteTo(D16(), hn::LoadU(hn::Rebind<T, D16>(), p));
    else {
        const V16 v = as16(hn::LoadU(DU16(), p));
        return Bits == 16 ? hn::Xor(v, set16(-32768)) : v;
    }
}

// Bits = 0: any depth below 16, known only at run time. Element j of the lines is column first + j; with an odd `first`
// the 32-bit lanes of the lines hold columns 2i-1, 2i, as the horizontal pass requires.
template <class Dot, int Bits, bool WithHigh, class T>
void vertical0_lines(const Rows<T> &rows, int width, int bits, int first, int count, std::int16_t *low,
                     std::int16_t *high) {
    const Taps taps = make_taps();
    const int b = Bits ? Bits : bits;
    const V32 round_low = set32(b == 16 ? 1u << 15 : (1u << (b - 1)) - (std::uint32_t(kLowSum) << (b - 1)));
    const V32 round_high = set32(1u << (b - 1));
    const auto shifted = [&](V32 v) HWY_ATTR {
        if constexpr (Bits != 0)
            return hn::ShiftRight<Bits>(v);
        else
            return hn::ShiftRightSame(v, b);
    };
    const auto block = [&](const T *p0, const T *p1, const T *p2, const T *p3, int j) HWY_ATTR {
        const D16 d;
        const V16 x0 = load_samples<Bits>(p0), x1 = load_samples<Bits>(p1), x2 = load_samples<Bits>(p2),
                  x3 = load_samples<Bits>(p3);
        const V16 a01 = hn::InterleaveLower(d, x0, x1), b01 = hn::InterleaveUpper(d, x0, x1);
        const V16 a23 = hn::InterleaveLower(d, x2, x3), b23 = hn::InterleaveUpper(d, x2, x3);
        const V32 la = Dot::dot(Dot::dot(round_low, a01, taps.lo01), a23, taps.lo23);
        const V32 lb = Dot::dot(Dot::dot(round_low, b01, taps.lo01), b23, taps.lo23);
        hn::Store(narrow_blocks(shifted(la), shifted(lb)), d, low + j);
        if constexpr (WithHigh) {
            const V32 ha = Dot::dot(Dot::dot(round_high, a01, taps.hi01), a23, taps.hi23);
            const V32 hb = Dot::dot(Dot::dot(round_high, b01, taps.hi01), b23, taps.hi23);
            hn::Store(narrow_blocks(shifted(ha), shifted(hb)), d, high + j);
        }
    };
    int j = 0;
    if (first < 0) { // nothing before a row may be read: the first vector is copied
        T copy[4][kLanes16] = {};
        for (int k = 0; k < 4; k++)
            std::memcpy(copy[k] + 1, rows[std::size_t(k)], std::size_t(std::min(width, kLanes16 - 1)) * sizeof(T));
        block(copy[0], copy[1], copy[2], copy[3], 0);
        j = kLanes16;
    }
    const std::ptrdiff_t next = rows[3] - rows[1]; // rows needed only for the next output row
    for (; j < std::min(count, width - first); j += kLanes16) {
        const int x = first + j;
        __builtin_prefetch(rows[2] + x + next, 0, 2), __builtin_prefetch(rows[3] + x + next, 0, 2);
        block(rows[0] + x, rows[1] + x, rows[2] + x, rows[3] + x, j);
    }
    const auto fold_line = [&](std::int16_t *line) {
        if (first < 0) line[0] = line[2];
        for (int x = width; x < std::min(first + count, width + 2); x++) line[x - first] = line[fold(x, width) - first];
    };
    fold_line(low);
    if (WithHigh) fold_line(high);
}

template <class Dot, int Bits, class T>
void vertical0_depth(const Rows<T> &rows, int width, int bits, int first, int count, std::int16_t *low,
                     std::int16_t *high) {
    if (high)
        vertical0_lines<Dot, Bits, true>(rows, width, bits, first, count, low, high);
    else
        vertical0_lines<Dot, Bits, false>(rows, width, bits, first, count, low, high);
}

template <class Dot, class T>
void vertical0(const Rows<T> &rows, int width, int bits, int first, int count, std::int16_t *low, std::int16_t *high) {
    if constexpr (sizeof(T) == 1)
        vertical0_depth<Dot, 8>(rows, width, bits, first, count, low, high);
    else if (bits == 10)
        vertical0_depth<Dot, 10>(rows, width, bits, first, count, low, high);
    else if (bits == 12)
        vertical0_depth<Dot, 12>(rows, width, bits, first, count, low, high);
    else if (bits == 16)
        vertical0_depth<Dot, 16>(rows, width, bits, first, count, low, high);
    else
        vertical0_depth<Dot, 0>(rows, width, bits, first, count, low, high);
}

template <class Dot>
void horizontal0(const std::int16_t *low, const std::int16_t *high, int count, std::int16_t *approx, int from, int to,
                 const Bands<std::int16_t> &details) {
    const D16 d;
    const Taps taps = make_taps();
    const V32 round = set32(1u << 15);
    const auto band = [&](V16 p0, V16 q0, V16 p1, V16 q1, V16 t01, V16 t23) HWY_ATTR {
        const V32 a = hn::ShiftRight<16>(Dot::dot(Dot::dot(round, p0, t01), q0, t23));
        const V32 b = hn::ShiftRight<16>(Dot::dot(Dot::dot(round, p1, t01), q1, t23));
        return order_blocks(narrow_blocks(a, b));
    };
    std::int16_t *const h = details[0], *const v = details[1], *const diagonal = details[2];
    const int details_from = round_down<kLanes16>(from);
    V16 l0 = hn::Load(d, low);
    for (int j = 0; j < count; j += kLanes16) {
        const V16 l1 = hn::Load(d, low + 2 * j + kLanes16), l2 = hn::Load(d, low + 2 * j + 2 * kLanes16);
        const V16 m0 = next_lane<4>(l0, l1), m1 = next_lane<4>(l1, l2);
        hn::StoreU(band(l0, m0, l1, m1, taps.lo01, taps.lo23), d, approx + 1 + j);
        if (high && j >= details_from && j < to) {
            hn::Store(band(l0, m0, l1, m1, taps.hi01, taps.hi23), d, v + j);
            const V16 g0 = hn::Load(d, high + 2 * j), g1 = hn::Load(d, high + 2 * j + kLanes16);
            const V16 g2 = hn::Load(d, high + 2 * j + 2 * kLanes16);
            const V16 n0 = next_lane<4>(g0, g1), n1 = next_lane<4>(g1, g2);
            hn::Store(band(g0, n0, g1, n1, taps.lo01, taps.lo23), d, h + j);
            hn::Store(band(g0, n0, g1, n1, taps.hi01, taps.hi23), d, diagonal + j);
        }
        l0 = l2;
    }
}

// Angle flags of one vector of positions.
HWY_INLINE V16 angle16(const In<std::int16_t> &o, const In<std::int16_t> &t, int j) {
    const D16 d;
    const V16 oh = hn::Load(d, o[0] + j), ov = hn::Load(d, o[1] + j), th = hn::Load(d, t[0] + j),
              tv = hn::Load(d, t[1] + j);
    const auto flags = [&](V16 ref, V16 dist) HWY_ATTR {
        const DF df;
        const VF p = hn::ConvertTo(df, mul_pairs(ref, dist));
        return angle_flags(p,
                           hn::Mul(hn::ConvertTo(df, mul_pairs(ref, ref)), hn::ConvertTo(df, mul_pairs(dist, dist))));
    };
    const AngleFlags a = flags(hn::InterleaveLower(d, oh, ov), hn::InterleaveLower(d, th, tv));
    const AngleFlags b = flags(hn::InterleaveUpper(d, oh, ov), hn::InterleaveUpper(d, th, tv));
    const V16 sure = narrow_blocks(a.sure, b.sure);
    if (HWY_LIKELY(!(a.doubt || b.doubt))) return sure;
    HWY_ALIGN std::int16_t flag[kLanes16], maybe[kLanes16];
    hn::Store(sure, d, flag), hn::Store(narrow_blocks(a.maybe, b.maybe), d, maybe);
    for (int i = 0; i < kLanes16; i++)
        if (flag[i] != maybe[i])
            flag[i] = std::int16_t(-angle_exact(o[0][j + i], t[0][j + i], o[1][j + i], t[1][j + i]));
    return hn::Load(d, flag);
}

// |r0| of 3.5. With s = sign(o) t limited to 0 .. m+1 (k is 0 below and 32768 above), R(m) s fits 32 bits; R(m) is a
// division rounded toward zero, exact from m = 64 on and close enough below that k does not notice. The saturating
// narrowing of -k is its clamp, and the rounding multiplication of -k and -o is r0. For o = 0, k is arbitrary and r0 0.
HWY_INLINE V16 restored_magnitude(V16 o, V16 m, V16 s) {
    const D16 d;
    const V16 zero = hn::Zero(d), limited = hn::Min(s, hn::Add(m, set16(1)));
    const auto negative_gain = [&](V16 wide_m, V16 wide_s) HWY_ATTR {
#if HWY_TARGET == HWY_WASM // has one rounding mode; in double precision no quotient rounds up to an integer
        const hn::ScalableTag<double> dd;
        const auto divided = [&](v128_t v) HWY_ATTR {
            return hn::Div(hn::Set(dd, 0x1p30), hn::VFromD<decltype(dd)>{wasm_f64x2_convert_low_i32x4(v)});
        };
        const v128_t upper = wasm_i32x4_shuffle(wide_m.raw, wide_m.raw, 2, 3, 2, 3);
        const V32 reciprocal = whole_parts(divided(wide_m.raw), divided(upper));
#else
        const V32 reciprocal = truncated(hn::Div(setf(0x1p30f), hn::ConvertTo(DF(), as32(wide_m))));
#endif
        return hn::ShiftRight<15>(hn::Sub(set32(16383), hn::Mul(reciprocal, as32(wide_s))));
    };
    const V32 a = negative_gain(hn::InterleaveLower(d, m, zero), hn::InterleaveLower(d, limited, zero));
    const V32 b = negative_gain(hn::InterleaveUpper(d, m, zero), hn::InterleaveUpper(d, limited, zero));
    return hn::Abs(hn::MulFixedPoint15(narrow_blocks(a, b), hn::Sub(zero, o)));
}

// An integer gain limit.
class WholeGain0 {
  public:
    explicit HWY_INLINE WholeGain0(int gain) : limit_(set16(gain)), largest_(set16(32767 / std::max(gain, 1))) {}

    // r of 3.5, from |r0| and |t|.
    HWY_INLINE V16 restored(V16 r0, V16 s, V16 same_angle, V16 sign) const {
        const V16 enhanced = hn::Min(hn::Mul(hn::Min(r0, largest_), limit_), s);
        const V16 magnitude = hn::IfVecThenElse(same_angle, enhanced, r0);
        return hn::Sub(hn::Xor(magnitude, sign), sign);
    }

  private:
    V16 limit_, largest_; // the latter times the gain: above every |t|
};

// With the rounding mode "toward zero". IsWhole: the limit is an integer, and r and a are final. Otherwise r receives
// |r0| and a[0] the flags.
template <bool IsWhole>
HWY_NOINLINE void decouple0_toward_zero(const In<std::int16_t> &o, const In<std::int16_t> &t, int from, int to,
                                        int gain, const Bands<std::int16_t> &r, const Bands<std::int16_t> &a) {
    const D16 d;
    const WholeGain0 limit(gain);
    for (int j = round_down<kLanes16>(from); j < to; j += kLanes16) {
        const V16 flag = angle16(o, t, j);
        for (std::size_t b = 0; b < kBands; b++) {
            const V16 ob = hn::Load(d, o[b] + j), tb = hn::Load(d, t[b] + j);
            const V16 sign = hn::ShiftRight<15>(ob);
            const V16 s = hn::Max(hn::Sub(hn::Xor(tb, sign), sign), hn::Zero(d));
            const V16 r0 = restored_magnitude(ob, hn::Abs(ob), s);
            if constexpr (IsWhole) {
                const V16 signed_r = limit.restored(r0, s, flag, sign);
                hn::Store(signed_r, d, r[b] + j), hn::Store(hn::Sub(tb, signed_r), d, a[b] + j);
            } else {
                hn::Store(r0, d, r[b] + j);
            }
        }
        if constexpr (!IsWhole) hn::Store(flag, d, a[0] + j);
    }
}

// The rest for gains that are not integers, with normal rounding.
HWY_NOINLINE void enhance0(const In<std::int16_t> &o, const In<std::int16_t> &t, const In<std::int16_t> &restored,
                           const std::int16_t *same_angle, int from, int to, double gain_limit,
                           const Bands<std::int16_t> &r, const Bands<std::int16_t> &a) {
    const D16 d;
    for (int j = round_down<kLanes16>(from); j < to; j += kLanes16) {
        const V16 flag = hn::Load(d, same_angle + j);
        for (std::size_t b = 0; b < kBands; b++) {
            const V16 ob = hn::Load(d, o[b] + j), tb = hn::Load(d, t[b] + j), r0 = hn::Load(d, restored[b] + j);
            const V16 sign = hn::ShiftRight<15>(ob), zero = hn::Zero(d);
            const V16 s = hn::Max(hn::Sub(hn::Xor(tb, sign), sign), zero);
            const V32 low = limited_product(as32(hn::InterleaveLower(d, r0, zero)), gain_limit,
                                            as32(hn::InterleaveLower(d, s, zero)));
            const V32 high = limited_product(as32(hn::InterleaveUpper(d, r0, zero)), gain_limit,
                                             as32(hn::InterleaveUpper(d, s, zero)));
            const V16 magnitude = hn::IfVecThenElse(flag, narrow_blocks(low, high), r0);
            const V16 signed_r = hn::Sub(hn::Xor(magnitude, sign), sign);
            hn::Store(signed_r, d, r[b] + j), hn::Store(hn::Sub(tb, signed_r), d, a[b] + j);
        }
    }
}

inline void decouple0(const In<std::int16_t> &o, const In<std::int16_t> &t, int from, int to, double gain_limit,
                      const Bands<std::int16_t> &r, const Bands<std::int16_t> &a) {
    const int whole = int(gain_limit);
    {
        const RoundingMode mode(Rounding::toward_zero);
        if (double(whole) == gain_limit) return decouple0_toward_zero<true>(o, t, from, to, whole, r, a);
        decouple0_toward_zero<false>(o, t, from, to, 0, r, a);
    }
    enhance0(o, t, {r[0], r[1], r[2]}, a[0], from, to, gain_limit, r, a);
}

inline void restore0(const In<std::int16_t> &o, const In<std::int16_t> &t, int from, int to,
                     const Bands<std::int16_t> &r0, std::int16_t *same_angle) {
    const RoundingMode mode(Rounding::toward_zero);
    decouple0_toward_zero<false>(o, t, from, to, 0, r0, {same_angle, nullptr, nullptr});
}

inline void limit0(const In<std::int16_t> &o, const In<std::int16_t> &t, const In<std::int16_t> &r0,
                   const std::int16_t *same_angle, int from, int to, double gain_limit, const Bands<std::int16_t> &r,
                   const Bands<std::int16_t> &a) {
    const int whole = int(gain_limit);
    if (double(whole) != gain_limit) return enhance0(o, t, r0, same_angle, from, to, gain_limit, r, a);
    const WholeGain0 gain(whole);
    const D16 d;
    for (int j = round_down<kLanes16>(from); j < to; j += kLanes16) {
        const V16 flag = hn::Load(d, same_angle + j);
        for (std::size_t b = 0; b < kBands; b++) {
            const V16 ob = hn::Load(d, o[b] + j), tb = hn::Load(d, t[b] + j), sign = hn::ShiftRight<15>(ob);
            const V16 s = hn::Max(hn::Sub(hn::Xor(tb, sign), sign), hn::Zero(d));
            const V16 signed_r = gain.restored(hn::Load(d, r0[b] + j), s, flag, sign);
            hn::Store(signed_r, d, r[b] + j), hn::Store(hn::Sub(tb, signed_r), d, a[b] + j);
        }
    }
}

// Squares as 32768 * upper + lower: both products with x are 16-bit multiply-adds. The lower ones of kChunk vectors,
// two per vector, fit 31 bits up to kSmall; chunks with larger coefficients are repeated with 64-bit sums.
template <class Dot> std::uint64_t denominator0(const std::int16_t *o, int from, int to) {
    constexpr int kChunk = 16 * kLanes16, kSmall = 32768 / 16 - 1;
    const D16 d;
    const DU16 du;
    VU64 total = hn::Zero(DU64());
    const auto load = [&](int j) HWY_ATTR {
        const V16 x = hn::Abs(hn::Load(d, o + j));
        return j >= from && j + kLanes16 <= to ? x : hn::And(x, inside(d, j, from, to));
    };
    for (int chunk = round_down<kLanes16>(from); chunk < to; chunk += kChunk) {
        const int end = std::min(chunk + kChunk, to);
        V32 upper = hn::Zero(D32()), lower = hn::Zero(D32());
        V16 largest = hn::Zero(d);
        for (int j = chunk; j < end; j += kLanes16) {
            const V16 x = load(j);
            const V16 high = as16(hn::MulHigh(hn::BitCast(du, hn::Add(x, x)), hn::BitCast(du, x)));
            upper = Dot::dot(upper, high, x);
            lower = Dot::dot(lower, hn::And(hn::Mul(x, x), set16(32767)), x);
            largest = hn::Max(largest, x);
        }
        if (HWY_LIKELY(hn::AllFalse(d, hn::Gt(largest, set16(kSmall))))) {
            const VU64 even = set64(0xFFFFFFFF), u = as_u64(upper), l = as_u64(lower);
            const VU64 sum = hn::ShiftLeft<15>(hn::Add(hn::And(u, even), hn::ShiftRight<32>(u)));
            total = hn::Add(total, hn::Add(sum, hn::Add(hn::And(l, even), hn::ShiftRight<32>(l))));
            continue;
        }
        for (int j = chunk; j < end; j += kLanes16) {
            const V32 x = as32(load(j)), e = hn::And(x, set32(0xFFFF)), f = as32(hn::ShiftRight<16>(as_u32(x)));
            const V32 ee = mul_pairs(as16(e), as16(e)), ff = mul_pairs(as16(f), as16(f));
            const auto both = [](V32 square, V32 v) HWY_ATTR {
                return hn::Add(mul_even_unsigned(square, v), mul_even_unsigned(odd_lanes(square), odd_lanes(v)));
            };
            total = hn::Add(total, hn::Add(both(ee, e), both(ff, f)));
        }
    }
    return sum_of(total);
}

// The same vector by vector: neither sum of so few leaves 31 bits (3.12).
template <class Dot>
std::uint64_t tile_denominator0(const std::int16_t *o, int count, Range scored, std::int64_t *totals) {
    const D16 d;
    const DU16 du;
    const VU64 low_half = set64(0xFFFFFFFF);
    const auto fours = [&](V16 x) HWY_ATTR {
        const V16 high = as16(hn::MulHigh(hn::BitCast(du, hn::Add(x, x)), hn::BitCast(du, x)));
        const VU64 u = as_u64(Dot::dot(hn::Zero(D32()), high, x));
        const VU64 l = as_u64(Dot::dot(hn::Zero(D32()), hn::And(hn::Mul(x, x), set16(32767)), x));
        const VU64 upper = hn::Add(hn::And(u, low_half), hn::ShiftRight<32>(u));
        return hn::Add(hn::ShiftLeft<15>(upper), hn::Add(hn::And(l, low_half), hn::ShiftRight<32>(l)));
    };
    VU64 sum = hn::Zero(DU64());
    for (int j = 0; j < count; j += kLanes16) {
        V16 x = hn::Abs(hn::Load(d, o + j));
        if (j + kLanes16 > count) x = hn::And(x, inside(d, j, 0, count));
        const VU64 all = fours(x);
        add_to(totals + j / kColumnsPerTotal0, all);
        const Place place = place_of<kLanes16>(j, scored);
        if (place == Place::inside)
            sum = hn::Add(sum, all);
        else if (place == Place::across)
            sum = hn::Add(sum, fours(hn::And(x, inside(d, j, scored.from, scored.to))));
    }
    return sum_of(sum);
}

// c, nu and kappa as 16-bit rounding multiplications (numerators and shifts of 3.8 times 8): nu = |c| + |c| 2184 /
// 2^15, kappa = 2 |c| + |c| 4368 / 2^15. A weight of 32768 or more is y plus the rest.
template <class Dot>
void narrow_mask0(const In<std::int16_t> &y, int from, int to, const ScalePlan &plan, const NarrowMaskRow &out) {
    const D16 d;
    const int edges = int(plan.weight[0]), diagonal = int(plan.weight[2]);
    const V16 whole = set16(edges >= 32768 ? -1 : 0), rest = set16(edges & 32767);
    const V16 weight_d = pair(diagonal - diagonal / 2, diagonal / 2), nu_factor = set16(2184),
              kappa_factor = set16(4368);
    for (int j = round_down<kLanes16>(from); j < to; j += kLanes16) {
        const V16 yh = hn::Load(d, y[0] + j), yv = hn::Load(d, y[1] + j), yd = hn::Load(d, y[2] + j);
        const V16 ch = hn::Abs(hn::Add(hn::And(yh, whole), hn::MulFixedPoint15(yh, rest)));
        const V16 cv = hn::Abs(hn::Add(hn::And(yv, whole), hn::MulFixedPoint15(yv, rest)));
        const V32 da = Dot::dot(set32(65535), hn::InterleaveLower(d, yd, yd), weight_d);
        const V32 db = Dot::dot(set32(65535), hn::InterleaveUpper(d, yd, yd), weight_d);
        const V16 cd = hn::Abs(narrow_blocks(hn::ShiftRight<17>(da), hn::ShiftRight<17>(db)));
        const auto three = [&](V16 factor) HWY_ATTR {
            return hn::Add(hn::Add(hn::MulFixedPoint15(ch, factor), hn::MulFixedPoint15(cv, factor)),
                           hn::MulFixedPoint15(cd, factor));
        };
        const V16 sum = hn::Add(hn::Add(ch, cv), cd), nu = three(nu_factor), kappa = three(kappa_factor);
        const V16 surplus = hn::Add(sum, hn::Sub(kappa, nu));
        hn::Store(hn::Xor(hn::Add(sum, nu), set16(-32768)), d, out.neighbour + j);
        const V32 start = set32(std::uint32_t(-9 * 32768));
        V32 even = hn::Sub(start, hn::And(as32(surplus), set32(0xFFFF)));
        V32 odd = hn::Sub(start, as32(hn::ShiftRight<16>(as_u32(surplus))));
        const V16 big = set16(15359);
        if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Gt(hn::Max(ch, cv), big)))) { // kappa exceeds 16 bits (a quirk)
            const V32 wrap_h = as32(hn::VecFromMask(d, hn::Gt(ch, big))),
                      wrap_v = as32(hn::VecFromMask(d, hn::Gt(cv, big)));
            const V32 upper = set32(0xFFFF0000);
            even = hn::Sub(hn::Sub(even, hn::ShiftLeft<16>(wrap_h)), hn::ShiftLeft<16>(wrap_v));
            odd = hn::Sub(hn::Sub(odd, hn::And(wrap_h, upper)), hn::And(wrap_v, upper));
        }
        hn::Store(even, D32(), out.centre_even + j / 2), hn::Store(odd, D32(), out.centre_odd + j / 2);
    }
}

} // namespace vmaf::adm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
