// Per target: the pooling of `adm` at scale 0 (adm.md 3.8), with masks in 16 bits.
#if defined(VMAF_ADM_SIMD_POOL0_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_ADM_SIMD_POOL0_INL_HPP
#undef VMAF_ADM_SIMD_POOL0_INL_HPP
#else
#define VMAF_ADM_SIMD_POOL0_INL_HPP
#endif

#include "metrics/adm/adm_simd_vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::adm::HWY_NAMESPACE {

// Minus the sums of three rows of neighbours, even and odd columns separately.
struct ColumnSums {
    V32 even, odd;
};
template <class Dot> HWY_INLINE ColumnSums column_sums(const std::array<NarrowMaskRow, 3> &mask, int j) {
    const D16 d;
    const V16 first = pair(-1, 0), second = pair(0, -1);
    const V16 a = hn::Load(d, mask[0].neighbour + j), b = hn::Load(d, mask[1].neighbour + j);
    const V16 c = hn::Load(d, mask[2].neighbour + j);
    return {Dot::dot(Dot::dot(mul_pairs(a, first), b, first), c, first),
            Dot::dot(Dot::dot(mul_pairs(a, second), b, second), c, second)};
}

// Thresholds come from sums of columns; a multiply-add of (|x|, |x|) with the two halves of the weight to minus the
// threshold gives M - thr 2^u. For each vector of columns [from, to): taker.at(column), then for each band
// taker.take<band>(even columns, odd columns).
template <class Dot, class Taker>
HWY_INLINE void narrow_excess(const In<std::int16_t> &x, const std::array<NarrowMaskRow, 3> &mask, Range columns,
                              const ScalePlan &plan, Taker &taker) {
    const D16 d;
    const D32 d32;
    const hn::ScalableTag<std::uint8_t> d8;
    HWY_ALIGN static constexpr std::uint8_t kTwiceEven[] = {0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13};
    HWY_ALIGN static constexpr std::uint8_t kTwiceOdd[] = {2, 3, 2, 3, 6, 7, 6, 7, 10, 11, 10, 11, 14, 15, 14, 15};
    const V16 twice_even = as16(hn::LoadDup128(d8, kTwiceEven)), twice_odd = as16(hn::LoadDup128(d8, kTwiceOdd));
    const int straight = int(plan.weight[0]), diagonal = int(plan.weight[2]);
    const V16 weight_straight = pair(straight - straight / 2, straight / 2);
    const V16 weight_diagonal = pair(diagonal - diagonal / 2, diagonal / 2);
    const int begin = round_down<kLanes16>(columns.from);
    V32 before_odd = column_sums<Dot>(mask, begin - kLanes16).odd;
    ColumnSums sums = column_sums<Dot>(mask, begin);
    for (int j = begin; j < columns.to; j += kLanes16) {
        const ColumnSums next = column_sums<Dot>(mask, j + kLanes16);
        const V32 both = hn::Add(sums.even, sums.odd);
        const V32 even =
            hn::Add(hn::Add(hn::Load(d32, mask[1].centre_even + j / 2), both), previous_lane(before_odd, sums.odd));
        const V32 odd =
            hn::Add(hn::Add(hn::Load(d32, mask[1].centre_odd + j / 2), both), next_lane<4>(sums.even, next.even));
        before_odd = sums.odd, sums = next;
        taker.at(j);
        const V32 even10 = hn::ShiftLeft<10>(even), odd10 = hn::ShiftLeft<10>(odd);
        const V32 even12 = hn::ShiftLeft<12>(even), odd12 = hn::ShiftLeft<12>(odd);
        const V16 h = hn::Abs(hn::Load(d, x[0] + j)), v = hn::Abs(hn::Load(d, x[1] + j));
        const V16 diag = hn::Abs(hn::Load(d, x[2] + j));
        taker.template take<0>(Dot::dot(even10, hn::TableLookupBytes(h, twice_even), weight_straight),
                               Dot::dot(odd10, hn::TableLookupBytes(h, twice_odd), weight_straight));
        taker.template take<1>(Dot::dot(even10, hn::TableLookupBytes(v, twice_even), weight_straight),
                               Dot::dot(odd10, hn::TableLookupBytes(v, twice_odd), weight_straight));
        taker.template take<2>(Dot::dot(even12, hn::TableLookupBytes(diag, twice_even), weight_diagonal),
                               Dot::dot(odd12, hn::TableLookupBytes(diag, twice_odd), weight_diagonal));
    }
}

// Of a vector of 16-bit columns, masks for even and odd ones in 32-bit lanes.
struct HalfMasks {
    V32 even, odd;
};
HWY_INLINE HalfMasks half_masks(int column, int from, int to) {
    const V32 in = as32(inside(D16(), column, from, to));
    return {hn::ShiftRight<16>(hn::ShiftLeft<16>(in)), hn::ShiftRight<16>(in)};
}

// Lists the positive values of the scored columns.
class ListTaker {
  public:
    HWY_INLINE ListTaker(std::uint32_t *scratch, const ScalePlan &plan, Range scored)
        : lists_(scratch, plan.window.width + 2 * kRowMargin), scored_(scored) {}

    HWY_INLINE void at(int j) {
        is_whole_ = place_of<kLanes16>(j, scored_) == Place::inside;
        if (!is_whole_) in_ = half_masks(j, scored_.from, scored_.to);
    }
    template <std::size_t B> HWY_INLINE void take(V32 even, V32 odd) {
        lists_.append(B, is_whole_ ? even : hn::And(even, in_.even));
        lists_.append(B, is_whole_ ? odd : hn::And(odd, in_.odd));
    }
    const PositiveLists &lists() const { return lists_; }

  private:
    PositiveLists lists_;
    Range scored_;
    HalfMasks in_{};
    bool is_whole_ = true;
};

// Adds the terms of all columns to their totals. Most are 0, but the parts of a row are too short for lists.
class TotalsTaker {
  public:
    HWY_INLINE TotalsTaker(const ScalePlan &plan, Range scored, const ColumnTotals &totals)
        : cube_h_(plan.num_term_shift[0]), cube_v_(plan.num_term_shift[1]), cube_d_(plan.num_term_shift[2]),
          scored_(scored), width_(plan.window.width), totals_(totals) {
        for (VU64 &sum : row_) sum = hn::Zero(DU64());
    }

    HWY_INLINE void at(int j) {
        column_ = j, place_ = place_of<kLanes16>(j, scored_), is_last_ = j + kLanes16 > width_;
        if (place_ == Place::across) in_ = half_masks(j, scored_.from, scored_.to);
    }
    template <std::size_t B> HWY_INLINE void take(V32 even, V32 odd) {
        const V32 none = hn::Zero(D32());
        even = hn::Max(even, none), odd = hn::Max(odd, none);
        if (HWY_UNLIKELY(is_last_)) {
            const HalfMasks all = half_masks(column_, 0, width_);
            even = hn::And(even, all.even), odd = hn::And(odd, all.odd);
        }
        const VU64 sums = fours<B>(even, odd);
        add_to(totals_.at[B] + column_ / kColumnsPerTotal0, sums);
        if (place_ == Place::inside)
            row_[B] = hn::Add(row_[B], sums);
        else if (place_ == Place::across)
            row_[B] = hn::Add(row_[B], fours<B>(hn::And(even, in_.even), hn::And(odd, in_.odd)));
    }
    RowSums row() const {
        return {std::int64_t(sum_of(row_[0])), std::int64_t(sum_of(row_[1])), std::int64_t(sum_of(row_[2]))};
    }

  private:
    template <std::size_t B> HWY_INLINE VU64 fours(V32 even, V32 odd) const {
        const auto sum = [&](const auto &cube) HWY_ATTR {
            return hn::Add(hn::Add(cube.even(even), cube.odd(even)), hn::Add(cube.even(odd), cube.odd(odd)));
        };
        if constexpr (B == 0) return sum(cube_h_);
        if constexpr (B == 1) return sum(cube_v_);
        if constexpr (B == 2) return sum(cube_d_);
    }

    const Cube<29> cube_h_, cube_v_;
    const Cube<30> cube_d_;
    const Range scored_;
    const int width_;
    const ColumnTotals &totals_;
    VU64 row_[kBands];
    HalfMasks in_{};
    int column_ = 0;
    Place place_ = Place::outside;
    bool is_last_ = false;
};

template <class Dot>
RowSums narrow_pool0(const In<std::int16_t> &x, const std::array<NarrowMaskRow, 3> &mask, Range scored,
                     const ScalePlan &plan, std::uint32_t *scratch) {
    ListTaker taker(scratch, plan, scored);
    narrow_excess<Dot>(x, mask, scored, plan, taker);
    return {taker.lists().sum<29>(0, plan.num_term_shift[0]), taker.lists().sum<29>(1, plan.num_term_shift[1]),
            taker.lists().sum<30>(2, plan.num_term_shift[2])};
}

template <class Dot>
RowSums narrow_tile_pool0(const In<std::int16_t> &x, const std::array<NarrowMaskRow, 3> &mask, Range scored,
                          const ScalePlan &plan, std::uint32_t *, const ColumnTotals &totals) {
    TotalsTaker taker(plan, scored, totals);
    narrow_excess<Dot>(x, mask, {0, plan.window.width}, plan, taker);
    return taker.row();
}

} // namespace vmaf::adm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
