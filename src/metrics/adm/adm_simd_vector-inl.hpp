// Per target: the vector types of `adm`, and operations that Highway lacks or makes expensive.
#if defined(VMAF_ADM_SIMD_VECTOR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_ADM_SIMD_VECTOR_INL_HPP
#undef VMAF_ADM_SIMD_VECTOR_INL_HPP
#else
#define VMAF_ADM_SIMD_VECTOR_INL_HPP
#endif

#include <cstddef>
#include <cstdint>

#include "cpu/rounding.hpp"
#include "cpu/simd_dot-inl.hpp"
#include "cpu/simd_whole-inl.hpp"
#include "metrics/adm/compress_table.hpp"
#include "metrics/adm/rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::adm::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using vmaf::HWY_NAMESPACE::mul_pairs;
using vmaf::HWY_NAMESPACE::whole_parts;

using D16 = hn::ScalableTag<std::int16_t>;
using DU16 = hn::ScalableTag<std::uint16_t>;
using D32 = hn::ScalableTag<std::int32_t>;
using DU32 = hn::ScalableTag<std::uint32_t>;
using D64 = hn::ScalableTag<std::int64_t>;
using DU64 = hn::ScalableTag<std::uint64_t>;
using DF = hn::ScalableTag<float>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;
using VU32 = hn::Vec<DU32>;
using VU64 = hn::Vec<DU64>;
using VF = hn::Vec<DF>;

constexpr int kLanes16 = int(HWY_LANES(std::int16_t)), kLanes32 = int(HWY_LANES(std::int32_t));

template <int Lanes> constexpr int round_down(int column) { return column / Lanes * Lanes; }

HWY_INLINE V16 set16(int v) { return hn::Set(D16(), std::int16_t(v)); }
HWY_INLINE V32 set32(std::uint32_t v) { return hn::Set(D32(), std::int32_t(v)); }
HWY_INLINE VU64 set64(std::uint64_t v) { return hn::Set(DU64(), v); }
HWY_INLINE VF setf(float v) { return hn::Set(DF(), v); }
template <class V> HWY_INLINE V16 as16(V v) { return hn::BitCast(D16(), v); }
template <class V> HWY_INLINE V32 as32(V v) { return hn::BitCast(D32(), v); }
template <class V> HWY_INLINE VU32 as_u32(V v) { return hn::BitCast(DU32(), v); }
template <class V> HWY_INLINE VU64 as_u64(V v) { return hn::BitCast(DU64(), v); }

// Every 32-bit lane holds two 16-bit numbers.
HWY_INLINE V16 pair(int first, int second) {
    return as16(set32(std::uint32_t(std::uint16_t(first)) | std::uint32_t(std::uint16_t(second)) << 16));
}

struct Taps {
    V16 lo01, lo23, hi01, hi23;
};
HWY_INLINE Taps make_taps() {
    return {pair(kLow[0], kLow[1]), pair(kLow[2], kLow[3]), pair(kHigh[0], kHigh[1]), pair(kHigh[2], kHigh[3])};
}

// Moves the upper lane of every pair to the lower one.
template <class V> HWY_INLINE V32 odd_lanes(V v) { return as32(hn::ShiftRight<32>(as_u64(v))); }
// Products of the lower lanes of pairs, and a shift by one number in all lanes. In WebAssembly, Highway lacks both
// without 64-bit products and loops over lanes.
#if HWY_TARGET == HWY_WASM
HWY_INLINE v128_t even_lanes(V32 v) { return wasm_i32x4_shuffle(v.raw, v.raw, 0, 2, 0, 2); }
HWY_INLINE VU64 mul_even_unsigned(V32 a, V32 b) {
    return VU64{wasm_u64x2_extmul_low_u32x4(even_lanes(a), even_lanes(b))};
}
HWY_INLINE VU64 mul_even_signed(V32 a, V32 b) {
    return VU64{wasm_i64x2_extmul_low_i32x4(even_lanes(a), even_lanes(b))};
}
HWY_INLINE VU64 shift_right(VU64 v, VU64 by) {
    return VU64{wasm_u64x2_shr(v.raw, std::uint32_t(wasm_i64x2_extract_lane(by.raw, 0)))};
}
#else
HWY_INLINE VU64 mul_even_unsigned(V32 a, V32 b) { return hn::MulEven(as_u32(a), as_u32(b)); }
HWY_INLINE VU64 mul_even_signed(V32 a, V32 b) { return as_u64(hn::MulEven(a, b)); }
HWY_INLINE VU64 shift_right(VU64 v, VU64 by) { return hn::Shr(v, by); }
#endif

HWY_INLINE std::uint64_t sum_of(VU64 v) { return hn::GetLane(hn::SumOfLanes(DU64(), v)); }

// Saturating narrowing within 128-bit blocks: undoes InterleaveLower and InterleaveUpper.
HWY_INLINE V16 narrow_blocks(V32 a, V32 b) { return hn::ReorderDemote2To(D16(), a, b); }

// After narrow_blocks: the order of two consecutive vectors; and its inverse.
HWY_INLINE V16 order_blocks(V16 v) {
#if HWY_TARGET == HWY_AVX3
    return V16{_mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v.raw)};
#elif HWY_TARGET == HWY_AVX2
    return V16{_mm256_permute4x64_epi64(v.raw, 0xD8)};
#else
    return v;
#endif
}
HWY_INLINE V16 spread_blocks(V16 v) {
#if HWY_TARGET == HWY_AVX3
    return V16{_mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), v.raw)};
#elif HWY_TARGET == HWY_AVX2
    return V16{_mm256_permute4x64_epi64(v.raw, 0xD8)};
#else
    return v;
#endif
}

// Lanes 1.. of a, then lane 0 of b; of 32 or 64 bits.
template <int Bytes, class V> HWY_INLINE V next_lane(V a, V b) {
    static_assert(Bytes == 4 || Bytes == 8);
#if HWY_TARGET == HWY_AVX3
    if constexpr (Bytes == 4)
        return V{_mm512_alignr_epi32(b.raw, a.raw, 1)};
    else
        return V{_mm512_alignr_epi64(b.raw, a.raw, 1)};
#elif HWY_TARGET == HWY_AVX2
    return V{_mm256_alignr_epi8(_mm256_permute2x128_si256(a.raw, b.raw, 0x21), a.raw, Bytes)};
#else
    const hn::ScalableTag<std::uint8_t> d8;
    return hn::BitCast(hn::DFromV<V>(), hn::CombineShiftRightBytes<Bytes>(d8, hn::BitCast(d8, b), hn::BitCast(d8, a)));
#endif
}

// The last lane of a, then all lanes of b but the last; of 32 bits.
HWY_INLINE V32 previous_lane(V32 a, V32 b) {
#if HWY_TARGET == HWY_AVX3
    return V32{_mm512_alignr_epi32(b.raw, a.raw, 15)};
#elif HWY_TARGET == HWY_AVX2
    return V32{_mm256_alignr_epi8(b.raw, _mm256_permute2x128_si256(a.raw, b.raw, 0x21), 12)};
#else
    return hn::CombineShiftRightBytes<12>(D32(), b, a);
#endif
}

// Truncation; undefined for numbers that do not fit.
HWY_INLINE V32 truncated(VF v) {
#if HWY_TARGET == HWY_AVX3
    return V32{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
    return V32{_mm256_cvttps_epi32(v.raw)};
#else
    return hn::ConvertTo(D32(), v);
#endif
}

// trunc(r * s + 0.5) in double, for results that fit.
HWY_INLINE V32 rounded_product(VF r, V32 s) {
#if HWY_TARGET == HWY_AVX3
    const __m512d half = _mm512_set1_pd(0.5);
    const __m512d r0 = _mm512_cvtps_pd(_mm512_castps512_ps256(r.raw)),
                  s0 = _mm512_cvtepi32_pd(_mm512_castsi512_si256(s.raw));
    const __m512d r1 = _mm512_cvtps_pd(_mm512_extractf32x8_ps(r.raw, 1)),
                  s1 = _mm512_cvtepi32_pd(_mm512_extracti32x8_epi32(s.raw, 1));
    return V32{_mm512_inserti32x8(_mm512_castsi256_si512(_mm512_cvttpd_epi32(_mm512_fmadd_pd(r0, s0, half))),
                                  _mm512_cvttpd_epi32(_mm512_fmadd_pd(r1, s1, half)), 1)};
#elif HWY_TARGET == HWY_AVX2
    const __m256d half = _mm256_set1_pd(0.5);
    const __m256d r0 = _mm256_cvtps_pd(_mm256_castps256_ps128(r.raw)),
                  s0 = _mm256_cvtepi32_pd(_mm256_castsi256_si128(s.raw));
    const __m256d r1 = _mm256_cvtps_pd(_mm256_extractf128_ps(r.raw, 1)),
                  s1 = _mm256_cvtepi32_pd(_mm256_extracti128_si256(s.raw, 1));
    return V32{_mm256_set_m128i(_mm256_cvttpd_epi32(_mm256_fmadd_pd(r1, s1, half)),
                                _mm256_cvttpd_epi32(_mm256_fmadd_pd(r0, s0, half)))};
#else
    const hn::ScalableTag<double> dd;
    const hn::Half<DF> dfh;
    const hn::Half<D32> dh;
    const auto half = hn::Set(dd, 0.5);
    const auto low =
        hn::MulAdd(hn::PromoteTo(dd, hn::LowerHalf(dfh, r)), hn::PromoteTo(dd, hn::LowerHalf(dh, s)), half);
    const auto high =
        hn::MulAdd(hn::PromoteTo(dd, hn::UpperHalf(dfh, r)), hn::PromoteTo(dd, hn::UpperHalf(dh, s)), half);
    return whole_parts(low, high);
#endif
}

// min(trunc(r * gain), s) in double, the product rounded to nearest: for gains that are no integers.
HWY_INLINE V32 limited_product(V32 r, double gain, V32 s) {
    const hn::ScalableTag<double> dd;
    const hn::Half<D32> dh;
    const auto part = [&](hn::Vec<hn::Half<D32>> x, hn::Vec<hn::Half<D32>> limit) HWY_ATTR {
        const auto product = hn::Mul(hn::PromoteTo(dd, x), hn::Set(dd, gain));
        return hn::Min(product, hn::PromoteTo(dd, limit));
    };
    return whole_parts(part(hn::LowerHalf(dh, r), hn::LowerHalf(dh, s)),
                       part(hn::UpperHalf(dh, r), hn::UpperHalf(dh, s)));
}

// Appends the lanes greater than 0 to a list; writes a whole vector. Not hn::Compress, whose table GCC copies to the
// stack on every use (AVX2, NEON).
HWY_INLINE std::uint32_t *append_positive(std::uint32_t *list, V32 v) {
    const D32 d;
    const auto positive = hn::Gt(v, hn::Zero(d));
#if HWY_TARGET == HWY_AVX3
    hn::StoreU(as_u32(hn::Compress(v, positive)), DU32(), list);
    return list + hn::CountTrue(d, positive);
#elif HWY_TARGET == HWY_AVX2
    const unsigned bits = unsigned(_mm256_movemask_ps(_mm256_castsi256_ps(positive.raw)));
    const auto *order = reinterpret_cast<const __m256i *>(kPositiveFirst.lanes[bits].data());
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(list),
                        _mm256_permutevar8x32_epi32(v.raw, _mm256_load_si256(order)));
    return list + _mm_popcnt_u32(bits);
#else
#if HWY_TARGET == HWY_WASM
    const unsigned bits = wasm_i32x4_bitmask(hn::VecFromMask(d, positive).raw);
#else
    const unsigned bits =
        vaddvq_u32(vandq_u32(vreinterpretq_u32_s32(hn::VecFromMask(d, positive).raw), uint32x4_t{1, 2, 4, 8}));
#endif
    const V32 order = as32(hn::Load(hn::ScalableTag<std::uint8_t>(), kPositiveFirst.bytes[bits].data()));
    hn::StoreU(as_u32(hn::TableLookupBytes(v, order)), DU32(), list);
    return list + __builtin_popcount(bits);
#endif
}

// Sets all bits of the lanes of the vector at `column` that are in [from, to).
template <class D> HWY_INLINE hn::Vec<D> inside(D d, int column, int from, int to) {
    using T = hn::TFromD<D>;
    const auto lane = hn::Iota(d, T(0));
    const auto after = hn::Lt(lane, hn::Set(d, T(to - column < 4096 ? to - column : 4096)));
    return hn::VecFromMask(d, hn::AndNot(hn::Lt(lane, hn::Set(d, T(from > column ? from - column : 0))), after));
}

// (((x*x + half) >> Q) * x + half) >> c (3.8) of non-negative 32-bit numbers, in 64-bit lanes.
template <int Q> class Cube {
  public:
    HWY_INLINE explicit Cube(int c)
        : round_q_(set64(std::uint64_t(1) << (Q - 1))), round_c_(set64(std::uint64_t(half_of(c)))),
          shift_c_(set64(std::uint64_t(c))) {}
    HWY_INLINE VU64 even(V32 x) const {
        const VU64 square = hn::ShiftRight<Q>(hn::Add(mul_even_unsigned(x, x), round_q_));
        return shift_right(hn::Add(mul_even_unsigned(as32(square), x), round_c_), shift_c_);
    }
    HWY_INLINE VU64 odd(V32 x) const { return even(odd_lanes(x)); }

  private:
    VU64 round_q_, round_c_, shift_c_;
};

// The sum over a list.
template <int Q> HWY_INLINE std::int64_t cube_sum(const std::uint32_t *list, const std::uint32_t *end, int c) {
    const D32 d;
    const Cube<Q> cube(c);
    VU64 even = hn::Zero(DU64()), odd = hn::Zero(DU64());
    const auto add = [&](V32 x) HWY_ATTR { even = hn::Add(even, cube.even(x)), odd = hn::Add(odd, cube.odd(x)); };
    for (; end - list >= kLanes32; list += kLanes32) add(as32(hn::LoadU(DU32(), list)));
    if (list < end) { // zeros add nothing
        const auto listed = hn::Lt(hn::Iota(d, 0), hn::Set(d, std::int32_t(end - list)));
        add(hn::IfThenElseZero(listed, as32(hn::LoadU(DU32(), list))));
    }
    return std::int64_t(sum_of(hn::Add(even, odd)));
}

// The positive values of a row: a list per band.
class PositiveLists {
  public:
    HWY_INLINE PositiveLists(std::uint32_t *scratch, int length)
        : begins_{scratch, scratch + length, scratch + 2 * length}, ends_{begins_[0], begins_[1], begins_[2]} {}

    HWY_INLINE void append(std::size_t band, V32 v) { ends_[band] = append_positive(ends_[band], v); }
    template <int Q> HWY_INLINE std::int64_t sum(std::size_t band, int c) const {
        return cube_sum<Q>(begins_[band], ends_[band], c);
    }

  private:
    std::uint32_t *begins_[kBands], *ends_[kBands];
};

// Where the vector at `column` lies relative to the scored columns.
enum class Place { outside, across, inside };
template <int Lanes> HWY_INLINE Place place_of(int column, Range scored) {
    if (column >= scored.from && column + Lanes <= scored.to) return Place::inside;
    return column + Lanes <= scored.from || column >= scored.to ? Place::outside : Place::across;
}

HWY_INLINE void add_to(std::int64_t *total, VU64 v) {
    const D64 d;
    hn::Store(hn::Add(hn::Load(d, total), hn::BitCast(d, v)), d, total);
}

// Exact angle test, for the few lanes that single precision cannot decide (3.5). The rounding to float must not be
// optimised away.
inline bool angle_exact(std::int64_t oh, std::int64_t th, std::int64_t ov, std::int64_t tv) {
    const RoundingMode nearest(Rounding::to_nearest);
    const volatile std::int64_t dp = oh * th + ov * tv, oo = oh * oh + ov * ov, tt = th * th + tv * tv;
    const volatile float dp_rounded = float(dp), oo_rounded = float(oo), tt_rounded = float(tt);
    const volatile double p = double(dp_rounded) / 4096.0, o = double(oo_rounded) / 4096.0;
    const volatile double t = double(tt_rounded) / 4096.0, left = p * p, scaled = double(0x1.ffd814p-1f) * o;
    const volatile double right = scaled * t;
    return p >= 0 && left >= right;
}

// Limits between which the angle test is redone exactly: 32 u either side, u = 2^-23 being one rounding toward zero.
// All roundings together, the specification's own included, stay below 22 u: dp is off by at most 4 u sqrt(oo tt), so
// p^2 near the limit by 9 u, oo tt C by 10 u, the specification's three roundings by less than 3 u.
constexpr float kAngleSure = 0.99969542f * (1.0f + 0x1p-18f), kAngleMaybe = 0.99969542f * (1.0f - 0x1p-18f);

struct AngleFlags {
    V32 sure, maybe;
    bool doubt;
};
// p: scalar product; y: product of the squared lengths.
HWY_INLINE AngleFlags angle_flags(VF p, VF y) {
    const DF d;
    const auto forward = hn::Ge(p, hn::Zero(d));
    const VF pp = hn::Mul(p, p);
    const auto sure = hn::And(forward, hn::Ge(pp, hn::Mul(y, setf(kAngleSure))));
    const auto maybe = hn::And(forward, hn::Ge(pp, hn::Mul(y, setf(kAngleMaybe))));
    return {as32(hn::VecFromMask(d, sure)), as32(hn::VecFromMask(d, maybe)), !hn::AllFalse(d, hn::Xor(sure, maybe))};
}

} // namespace vmaf::adm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
