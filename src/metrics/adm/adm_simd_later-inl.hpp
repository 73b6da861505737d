// Per target: scales 1 to 3 of `adm` on vectors, in 32-bit lanes.
#if defined(VMAF_ADM_SIMD_LATER_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_ADM_SIMD_LATER_INL_HPP
#undef VMAF_ADM_SIMD_LATER_INL_HPP
#else
#define VMAF_ADM_SIMD_LATER_INL_HPP
#endif

#include <algorithm>
#include <cstdint>

#include "metrics/adm/adm_simd_vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::adm::HWY_NAMESPACE {

// Scale 1 reads 16-bit rows and shifts nothing: plain multiply-adds.
template <class Dot, bool WithHigh>
void vertical1_lines(const Rows<std::int16_t> &rows, int from, int to, std::int32_t *low, std::int32_t *high) {
    const D16 d;
    const D32 d32;
    const Taps taps = make_taps();
    for (int j = round_down<kLanes16>(from); j < to; j += kLanes16) {
        V16 x[4];
        for (std::size_t k = 0; k < 4; k++) x[k] = spread_blocks(hn::Load(d, rows[k] + j));
        const V16 a01 = hn::InterleaveLower(d, x[0], x[1]), b01 = hn::InterleaveUpper(d, x[0], x[1]);
        const V16 a23 = hn::InterleaveLower(d, x[2], x[3]), b23 = hn::InterleaveUpper(d, x[2], x[3]);
        const V32 zero = hn::Zero(d32);
        hn::Store(Dot::dot(Dot::dot(zero, a01, taps.lo01), a23, taps.lo23), d32, low + j);
        hn::Store(Dot::dot(Dot::dot(zero, b01, taps.lo01), b23, taps.lo23), d32, low + j + kLanes32);
        if constexpr (WithHigh) {
            hn::Store(Dot::dot(Dot::dot(zero, a01, taps.hi01), a23, taps.hi23), d32, high + j);
            hn::Store(Dot::dot(Dot::dot(zero, b01, taps.hi01), b23, taps.hi23), d32, high + j + kLanes32);
        }
    }
}

template <class Dot>
void vertical1(const Rows<std::int16_t> &rows, int from, int to, std::int32_t *low, std::int32_t *high) {
    if (high)
        vertical1_lines<Dot, true>(rows, from, to, low, high);
    else
        vertical1_lines<Dot, false>(rows, from, to, low, high);
}

// A 32-bit number is 65536 h + l. With l - 32768 as a signed 16-bit number,
//   (sum tap x + 2^15) >> 16 = sum tap h + sum tap / 2 + ((sum tap (l - 32768) + 2^15) >> 16),
// because 32768 times the sum of taps is a multiple of 65536; for a shift by 15 the first two terms count twice.
// No partial sum leaves 32 bits.
struct Halves {
    V16 upper, lower; // of two rows, in pairs
};
HWY_INLINE Halves halves_of(const std::int32_t *first, const std::int32_t *second) {
    const D32 d;
    const V32 a = hn::Load(d, first), b = hn::Load(d, second);
    const V16 upper = hn::OddEven(as16(b), as16(hn::ShiftRight<16>(as_u32(a))));
    const V16 lower = hn::OddEven(as16(hn::ShiftLeft<16>(b)), as16(a));
    return {upper, hn::Xor(lower, set16(-32768))};
}

template <class Dot, bool WithHigh>
void vertical23_lines(const Rows<std::int32_t> &rows, int from, int to, std::int32_t *low, std::int32_t *high) {
    const D32 d;
    const Taps taps = make_taps();
    const V32 round = set32(1u << 15), bias = set32(kLowSum / 2), zero = hn::Zero(d);
    for (int j = round_down<kLanes32>(from); j < to; j += kLanes32) {
        const Halves x01 = halves_of(rows[0] + j, rows[1] + j), x23 = halves_of(rows[2] + j, rows[3] + j);
        const auto filtered = [&](V32 start, V16 t01, V16 t23) HWY_ATTR {
            const V32 upper = Dot::dot(Dot::dot(start, x01.upper, t01), x23.upper, t23);
            return hn::Add(upper, hn::ShiftRight<16>(Dot::dot(Dot::dot(round, x01.lower, t01), x23.lower, t23)));
        };
        hn::Store(filtered(bias, taps.lo01, taps.lo23), d, low + j);
        if constexpr (WithHigh) hn::Store(filtered(zero, taps.hi01, taps.hi23), d, high + j);
    }
}

template <class Dot>
void vertical23(const Rows<std::int32_t> &rows, int from, int to, std::int32_t *low, std::int32_t *high) {
    if (high)
        vertical23_lines<Dot, true>(rows, from, to, low, high);
    else
        vertical23_lines<Dot, false>(rows, from, to, low, high);
}

// The same identity along a line: a byte shuffle puts the upper halves of columns 2i-1, 2i in one lane and their lower
// halves in the next, so one multiply-add serves both.
template <class Dot, int Shift>
void horizontal_lines(const std::int32_t *low, const std::int32_t *high, int approx_from, int approx_to,
                      std::int32_t *approx, int from, int to, const Bands<std::int32_t> &details) {
    const D32 d;
    const hn::ScalableTag<std::uint8_t> d8;
    HWY_ALIGN static constexpr std::uint8_t kHalves[] = {2, 3, 6, 7, 0, 1, 4, 5, 10, 11, 14, 15, 8, 9, 12, 13};
    const V32 halves = as32(hn::LoadDup128(d8, kHalves)), flip = as32(set64(std::uint64_t(0x80008000) << 32));
    const Taps taps = make_taps();
    const VU64 start = set64(std::uint64_t(1u << (Shift - 1)) << 32);
    const V32 start_high = as32(start), start_low = as32(hn::Add(start, set64(kLowSum / 2)));
    const auto load = [&](const std::int32_t *p)
                          HWY_ATTR { return as16(hn::Xor(hn::TableLookupBytes(hn::Load(d, p), halves), flip)); };
    const auto band = [&](V16 p0, V16 q0, V16 p1, V16 q1, V16 t01, V16 t23, V32 init) HWY_ATTR {
        const V32 a = Dot::dot(Dot::dot(init, p0, t01), q0, t23), b = Dot::dot(Dot::dot(init, p1, t01), q1, t23);
        const V32 upper = hn::ConcatEven(d, b, a), lower = hn::ConcatOdd(d, b, a);
        return hn::Add(Shift == 16 ? upper : hn::Add(upper, upper), hn::ShiftRight<Shift>(lower));
    };
    approx_from = round_down<kLanes32>(approx_from), from = round_down<kLanes32>(from);
    if (!approx) approx_from = approx_to = from;
    if (!high) from = to = approx_from;
    std::int32_t *const h = details[0], *const v = details[1], *const diagonal = details[2];
    const int begin = std::min(approx_from, from), end = std::max(approx_to, to);
    V16 l0 = load(low + 2 * begin);
    for (int j = begin; j < end; j += kLanes32) {
        const V16 l1 = load(low + 2 * j + kLanes32), l2 = load(low + 2 * j + 2 * kLanes32);
        const V16 m0 = next_lane<8>(l0, l1), m1 = next_lane<8>(l1, l2);
        if (j >= approx_from && j < approx_to)
            hn::StoreU(band(l0, m0, l1, m1, taps.lo01, taps.lo23, start_low), d, approx + 1 + j);
        if (j >= from && j < to) {
            hn::Store(band(l0, m0, l1, m1, taps.hi01, taps.hi23, start_high), d, v + j);
            const V16 g0 = load(high + 2 * j), g1 = load(high + 2 * j + kLanes32),
                      g2 = load(high + 2 * j + 2 * kLanes32);
            const V16 n0 = next_lane<8>(g0, g1), n1 = next_lane<8>(g1, g2);
            hn::Store(band(g0, n0, g1, n1, taps.lo01, taps.lo23, start_low), d, h + j);
            hn::Store(band(g0, n0, g1, n1, taps.hi01, taps.hi23, start_high), d, diagonal + j);
        }
        l0 = l2;
    }
}

template <class Dot>
void horizontal(const std::int32_t *low, const std::int32_t *high, int shift, int approx_from, int approx_to,
                std::int32_t *approx, int from, int to, const Bands<std::int32_t> &details) {
    if (shift == 16)
        horizontal_lines<Dot, 16>(low, high, approx_from, approx_to, approx, from, to, details);
    else
        horizontal_lines<Dot, 15>(low, high, approx_from, approx_to, approx, from, to, details);
}

HWY_INLINE V32 angle32(const In<std::int32_t> &o, const In<std::int32_t> &t, int j) {
    const D32 d;
    const DF df;
    const VF oh = hn::ConvertTo(df, hn::Load(d, o[0] + j)), ov = hn::ConvertTo(df, hn::Load(d, o[1] + j));
    const VF th = hn::ConvertTo(df, hn::Load(d, t[0] + j)), tv = hn::ConvertTo(df, hn::Load(d, t[1] + j));
    const VF p = hn::MulAdd(oh, th, hn::Mul(ov, tv));
    const VF y = hn::Mul(hn::MulAdd(oh, oh, hn::Mul(ov, ov)), hn::MulAdd(th, th, hn::Mul(tv, tv)));
    const AngleFlags flags = angle_flags(p, y);
    if (HWY_LIKELY(!flags.doubt)) return flags.sure;
    HWY_ALIGN std::int32_t flag[kLanes32], maybe[kLanes32];
    hn::Store(flags.sure, d, flag), hn::Store(flags.maybe, d, maybe);
    for (int i = 0; i < kLanes32; i++)
        if (flag[i] != maybe[i]) flag[i] = -int(angle_exact(o[0][j + i], t[0][j + i], o[1][j + i], t[1][j + i]));
    return hn::Load(d, flag);
}

// |r0| of 3.5. m converted toward zero and rounded to 15 significant bits, half up, is m' 2^e of the text. Of 2^30 / m'
// cut to 16 significant bits and cut to an integer, the larger one is R(m') 2^-e. With s = sign(o) t limited to 2m,
// where k is 32768, the product is exact in double.
HWY_INLINE V32 restored_magnitude(V32 o, V32 m, V32 s) {
    const DF df;
#if HWY_TARGET == HWY_WASM // has one rounding mode
    // Without the 17th significant bit nothing is rounded up into the upper 16.
    const V32 upper = hn::AndNot(hn::ShiftRight<16>(m), m);
    const V32 bits = hn::Add(as32(hn::ConvertTo(df, upper)), set32(0x100));
    // Double precision, cut to single: 15 bits times 24 bits never come so near 2^30 that the quotient is rounded up.
    const v128_t divisor = hn::And(bits, set32(~0x1FFu)).raw, one = wasm_f64x2_splat(0x1p30),
                 keep = wasm_i64x2_splat(~0x1FFFFFFFll);
    const v128_t q0 = wasm_f64x2_div(one, wasm_f64x2_promote_low_f32x4(divisor));
    const v128_t q1 =
        wasm_f64x2_div(one, wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(divisor, divisor, 2, 3, 2, 3)));
    const VF quotient{wasm_i32x4_shuffle(wasm_f32x4_demote_f64x2_zero(wasm_v128_and(q0, keep)),
                                         wasm_f32x4_demote_f64x2_zero(wasm_v128_and(q1, keep)), 0, 1, 4, 5)};
#else
    const V32 bits = hn::Add(as32(hn::ConvertTo(df, m)), set32(0x100));
    const VF quotient = hn::Div(setf(0x1p30f), hn::BitCast(df, hn::And(bits, set32(~0x1FFu))));
#endif
    const VF cut = hn::BitCast(df, hn::And(as32(quotient), set32(~0xFFu)));
    const VF reciprocal = hn::Mul(hn::Max(cut, hn::Trunc(quotient)), setf(0x1p-15f));
    const V32 limited = as32(hn::Min(as_u32(s), as_u32(hn::Add(m, m))));
    const V32 k = hn::Min(rounded_product(reciprocal, limited), set32(32768));
    const V32 low = hn::Add(hn::Mul(k, hn::And(o, set32(32767))), set32(16384));
    return hn::Abs(hn::Add(hn::Mul(k, hn::ShiftRight<15>(o)), hn::ShiftRight<15>(low)));
}

// An integer gain limit.
class WholeGain {
  public:
    explicit HWY_INLINE WholeGain(int gain)
        : limit_(set32(std::uint32_t(gain))), largest_(set32(2147483647u / std::uint32_t(std::max(gain, 1)))) {}

    // r of 3.5, from |r0| and |t|.
    HWY_INLINE V32 restored(V32 r0, V32 s, V32 same_angle, V32 sign) const {
        const V32 enhanced = hn::Min(hn::Mul(hn::Min(r0, largest_), limit_), s);
        const V32 magnitude = hn::IfVecThenElse(same_angle, enhanced, r0);
        return hn::Sub(hn::Xor(magnitude, sign), sign);
    }

  private:
    V32 limit_, largest_; // the latter times the gain: above every |t|
};

// See decouple0_toward_zero.
template <bool IsWhole>
HWY_NOINLINE void decouple_toward_zero(const In<std::int32_t> &o, const In<std::int32_t> &t, int from, int to, int gain,
                                       const Bands<std::int32_t> &r, const Bands<std::int32_t> &a) {
    const D32 d;
    const WholeGain limit(gain);
    for (int j = round_down<kLanes32>(from); j < to; j += kLanes32) {
        const V32 flag = angle32(o, t, j);
        for (std::size_t b = 0; b < kBands; b++) {
            const V32 ob = hn::Load(d, o[b] + j), tb = hn::Load(d, t[b] + j);
            const V32 sign = hn::ShiftRight<31>(ob);
            const V32 s = hn::Max(hn::Sub(hn::Xor(tb, sign), sign), hn::Zero(d));
            const V32 r0 = restored_magnitude(ob, hn::Abs(ob), s);
            if constexpr (IsWhole) {
                const V32 signed_r = limit.restored(r0, s, flag, sign);
                hn::Store(signed_r, d, r[b] + j), hn::Store(hn::Sub(tb, signed_r), d, a[b] + j);
            } else {
                hn::Store(r0, d, r[b] + j);
            }
        }
        if constexpr (!IsWhole) hn::Store(flag, d, a[0] + j);
    }
}

HWY_NOINLINE void enhance(const In<std::int32_t> &o, const In<std::int32_t> &t, const In<std::int32_t> &restored,
                          const std::int32_t *same_angle, int from, int to, double gain_limit,
                          const Bands<std::int32_t> &r, const Bands<std::int32_t> &a) {
    const D32 d;
    for (int j = round_down<kLanes32>(from); j < to; j += kLanes32) {
        const V32 flag = hn::Load(d, same_angle + j);
        for (std::size_t b = 0; b < kBands; b++) {
            const V32 ob = hn::Load(d, o[b] + j), tb = hn::Load(d, t[b] + j), r0 = hn::Load(d, restored[b] + j);
            const V32 sign = hn::ShiftRight<31>(ob);
            const V32 s = hn::Max(hn::Sub(hn::Xor(tb, sign), sign), hn::Zero(d));
            const V32 magnitude = hn::IfVecThenElse(flag, limited_product(r0, gain_limit, s), r0);
            const V32 signed_r = hn::Sub(hn::Xor(magnitude, sign), sign);
            hn::Store(signed_r, d, r[b] + j), hn::Store(hn::Sub(tb, signed_r), d, a[b] + j);
        }
    }
}

inline void decouple(const In<std::int32_t> &o, const In<std::int32_t> &t, int from, int to, double gain_limit,
                     const Bands<std::int32_t> &r, const Bands<std::int32_t> &a) {
    const int whole = int(gain_limit);
    {
        const RoundingMode mode(Rounding::toward_zero);
        if (double(whole) == gain_limit) return decouple_toward_zero<true>(o, t, from, to, whole, r, a);
        decouple_toward_zero<false>(o, t, from, to, 0, r, a);
    }
    enhance(o, t, {r[0], r[1], r[2]}, a[0], from, to, gain_limit, r, a);
}

inline void restore(const In<std::int32_t> &o, const In<std::int32_t> &t, int from, int to,
                    const Bands<std::int32_t> &r0, std::int32_t *same_angle) {
    const RoundingMode mode(Rounding::toward_zero);
    decouple_toward_zero<false>(o, t, from, to, 0, r0, {same_angle, nullptr, nullptr});
}

inline void limit(const In<std::int32_t> &o, const In<std::int32_t> &t, const In<std::int32_t> &r0,
                  const std::int32_t *same_angle, int from, int to, double gain_limit, const Bands<std::int32_t> &r,
                  const Bands<std::int32_t> &a) {
    const int whole = int(gain_limit);
    if (double(whole) != gain_limit) return enhance(o, t, r0, same_angle, from, to, gain_limit, r, a);
    const WholeGain gain(whole);
    const D32 d;
    for (int j = round_down<kLanes32>(from); j < to; j += kLanes32) {
        const V32 flag = hn::Load(d, same_angle + j);
        for (std::size_t b = 0; b < kBands; b++) {
            const V32 ob = hn::Load(d, o[b] + j), tb = hn::Load(d, t[b] + j), sign = hn::ShiftRight<31>(ob);
            const V32 s = hn::Max(hn::Sub(hn::Xor(tb, sign), sign), hn::Zero(d));
            const V32 signed_r = gain.restored(hn::Load(d, r0[b] + j), s, flag, sign);
            hn::Store(signed_r, d, r[b] + j), hn::Store(hn::Sub(tb, signed_r), d, a[b] + j);
        }
    }
}

// The terms of even lanes (3.6).
class DenominatorTerm {
  public:
    HWY_INLINE explicit DenominatorTerm(const ScalePlan &plan)
        : add_q_(set64(std::uint64_t(1) << plan.den_square_shift)),
          shift_q_(set64(std::uint64_t(plan.den_square_shift))),
          add_c_(set64(std::uint64_t(half_of(plan.den_term_shift)))),
          shift_c_(set64(std::uint64_t(plan.den_term_shift))) {}
    HWY_INLINE VU64 operator()(V32 x) const {
        const V32 square = as32(shift_right(hn::Add(mul_even_unsigned(x, x), add_q_), shift_q_));
        return shift_right(hn::Add(mul_even_unsigned(square, x), add_c_), shift_c_);
    }

  private:
    VU64 add_q_, shift_q_, add_c_, shift_c_;
};

inline std::uint64_t denominator(const std::int32_t *o, int from, int to, const ScalePlan &plan) {
    const D32 d;
    const DenominatorTerm term(plan);
    VU64 total = hn::Zero(DU64());
    for (int j = round_down<kLanes32>(from); j < to; j += kLanes32) {
        V32 x = hn::Abs(hn::Load(d, o + j));
        if (j < from || j + kLanes32 > to) x = hn::And(x, inside(d, j, from, to));
        total = hn::Add(total, hn::Add(term(x), term(odd_lanes(x))));
    }
    return sum_of(total);
}

inline std::uint64_t tile_denominator(const std::int32_t *o, int count, Range scored, const ScalePlan &plan,
                                      std::int64_t *totals, std::ptrdiff_t odd) {
    const D32 d;
    const DenominatorTerm term(plan);
    VU64 sum = hn::Zero(DU64());
    for (int j = 0; j < count; j += kLanes32) {
        V32 x = hn::Abs(hn::Load(d, o + j));
        if (j + kLanes32 > count) x = hn::And(x, inside(d, j, 0, count));
        const VU64 of_even = term(x), of_odd = term(odd_lanes(x));
        add_to(totals + j / 2, of_even), add_to(totals + odd + j / 2, of_odd);
        const Place place = place_of<kLanes32>(j, scored);
        if (place == Place::inside) {
            sum = hn::Add(sum, hn::Add(of_even, of_odd));
        } else if (place == Place::across) {
            const V32 in = hn::And(x, inside(d, j, scored.from, scored.to));
            sum = hn::Add(sum, hn::Add(term(in), term(odd_lanes(in))));
        }
    }
    return sum_of(sum);
}

// Adds the three bands' 64-bit products with 32-bit additions: only the upper halves count, and they need no carries
// from the lower ones.
inline void mask(const In<std::int32_t> &y, int from, int to, const ScalePlan &plan,
                 const Bands<std::int32_t> &magnitude, const MaskRow &out) {
    const D32 d;
    const VU64 round28 = set64(1u << 27), minus31 = set64(~std::uint64_t(0) << 31);
    const V32 nu_factor = set32(143165577), kappa_factor = set32(286331153);
    const V32 weight[kBands] = {set32(plan.weight[0]), set32(plan.weight[1]), set32(plan.weight[2])};
    for (int j = round_down<kLanes32>(from); j < to; j += kLanes32) {
        V32 nu_even = hn::Zero(d), nu_odd = nu_even, kappa_even = nu_even, kappa_odd = nu_even;
        for (std::size_t b = 0; b < kBands; b++) {
            const V32 v = hn::Load(d, y[b] + j);
            const VU64 even = hn::ShiftRight<28>(hn::Add(mul_even_signed(v, weight[b]), round28));
            const VU64 odd = hn::ShiftLeft<4>(hn::Add(mul_even_signed(odd_lanes(v), weight[b]), round28));
            const V32 c = hn::Abs(hn::OddEven(as32(odd), as32(even))), c_odd = odd_lanes(c);
            hn::Store(c, d, magnitude[b] + j);
            const auto scaled = [&](V32 x, V32 factor)
                                    HWY_ATTR { return as32(hn::Add(mul_even_unsigned(x, factor), minus31)); };
            nu_even = hn::Add(nu_even, scaled(c, nu_factor)), nu_odd = hn::Add(nu_odd, scaled(c_odd, nu_factor));
            kappa_even = hn::Add(kappa_even, scaled(c, kappa_factor));
            kappa_odd = hn::Add(kappa_odd, scaled(c_odd, kappa_factor));
        }
        const V32 nu = hn::OddEven(nu_odd, odd_lanes(nu_even)), kappa = hn::OddEven(kappa_odd, odd_lanes(kappa_even));
        hn::Store(nu, d, out.neighbour + j), hn::Store(hn::Sub(kappa, nu), d, out.centre + j);
    }
}

// Calls take(column, excess of H, V, D) for every vector of columns.
template <class Take>
HWY_INLINE void for_excess(const In<std::int32_t> &magnitude, const std::array<MaskRow, 3> &mask, Range columns,
                           const Take &take) {
    const D32 d;
    for (int j = round_down<kLanes32>(columns.from); j < columns.to; j += kLanes32) {
        V32 threshold = hn::Load(d, mask[1].centre + j);
        for (const MaskRow &row : mask) {
            const std::int32_t *n = row.neighbour + j;
            threshold = hn::Add(threshold, hn::Add(hn::Add(hn::LoadU(d, n - 1), hn::Load(d, n)), hn::LoadU(d, n + 1)));
        }
        take(j, hn::Sub(hn::Load(d, magnitude[0] + j), threshold), hn::Sub(hn::Load(d, magnitude[1] + j), threshold),
             hn::Sub(hn::Load(d, magnitude[2] + j), threshold));
    }
}

inline RowSums pool(const In<std::int32_t> &magnitude, const std::array<MaskRow, 3> &mask, Range scored,
                    const ScalePlan &plan, std::uint32_t *scratch) {
    PositiveLists lists(scratch, plan.window.width + 2 * kRowMargin);
    for_excess(magnitude, mask, scored, [&](int j, V32 h, V32 v, V32 diagonal) HWY_ATTR {
        if (place_of<kLanes32>(j, scored) != Place::inside) {
            const V32 in = inside(D32(), j, scored.from, scored.to);
            h = hn::And(h, in), v = hn::And(v, in), diagonal = hn::And(diagonal, in);
        }
        lists.append(0, h), lists.append(1, v), lists.append(2, diagonal);
    });
    return {lists.sum<30>(0, plan.num_term_shift[0]), lists.sum<30>(1, plan.num_term_shift[1]),
            lists.sum<30>(2, plan.num_term_shift[2])};
}

inline RowSums tile_pool(const In<std::int32_t> &magnitude, const std::array<MaskRow, 3> &mask, Range scored,
                         const ScalePlan &plan, std::uint32_t *, const ColumnTotals &totals) {
    const D32 d;
    const int width = plan.window.width;
    const Cube<30> cube(plan.num_term_shift[0]); // the same shift for all bands
    VU64 row[kBands] = {hn::Zero(DU64()), hn::Zero(DU64()), hn::Zero(DU64())};
    for_excess(magnitude, mask, {0, width}, [&](int j, V32 h, V32 v, V32 diagonal) HWY_ATTR {
        const Place place = place_of<kLanes32>(j, scored);
        const auto add = [&](std::size_t b, V32 excess) HWY_ATTR {
            V32 x = hn::Max(excess, hn::Zero(d));
            if (HWY_UNLIKELY(j + kLanes32 > width)) x = hn::And(x, inside(d, j, 0, width));
            const VU64 even = cube.even(x), odd = cube.odd(x);
            add_to(totals.at[b] + j / 2, even), add_to(totals.at[b] + totals.odd + j / 2, odd);
            if (place == Place::inside) {
                row[b] = hn::Add(row[b], hn::Add(even, odd));
            } else if (place == Place::across) {
                const V32 in = hn::And(x, inside(d, j, scored.from, scored.to));
                row[b] = hn::Add(row[b], hn::Add(cube.even(in), cube.odd(in)));
            }
        };
        add(0, h), add(1, v), add(2, diagonal);
    });
    return {std::int64_t(sum_of(row[0])), std::int64_t(sum_of(row[1])), std::int64_t(sum_of(row[2]))};
}

} // namespace vmaf::adm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
