// The activity of rows of luma on vectors. Integers: the order does not matter. Samples of 8 bits of ordinary pictures
// are filtered in 16 bits, all others in 32.
#include <cstdint>

#include "metrics/xpsnr/xpsnr.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/xpsnr/xpsnr_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
HWY_BEFORE_NAMESPACE();
namespace vmaf::xpsnr::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<std::int16_t>;
using D32 = hn::ScalableTag<std::int32_t>;
using DU32 = hn::ScalableTag<std::uint32_t>;

// Samples as lanes of D; those of 16 bits are signed (xpsnr.md 8.1).
template <class D, class T> HWY_INLINE hn::Vec<D> load(D d, const T *p) {
    if constexpr (sizeof(T) == 1) {
        const hn::Rebind<std::uint8_t, D> narrow;
        return hn::PromoteTo(d, hn::LoadU(narrow, p));
    } else {
        const hn::Rebind<std::int16_t, D> narrow;
        return hn::PromoteTo(d, hn::LoadU(narrow, reinterpret_cast<const std::int16_t *>(p)));
    }
}

HWY_INLINE void add_magnitudes(hn::Vec<D32> v, std::uint32_t *columns) {
    const DU32 d;
    hn::StoreU(hn::Add(hn::LoadU(d, columns), hn::BitCast(d, hn::Abs(v))), d, columns);
}
HWY_INLINE void add_magnitudes(hn::Vec<D16> v, std::uint32_t *columns) {
    const hn::Half<D16> half;
    add_magnitudes(hn::PromoteTo(D32(), hn::LowerHalf(half, v)), columns);
    add_magnitudes(hn::PromoteTo(D32(), hn::UpperHalf(half, v)), columns + hn::Lanes(D32()));
}

template <class T> using Lanes = hn::ScalableTag<std::conditional_t<sizeof(T) == 1, std::int16_t, std::int32_t>>;

// 16 times the sample less the sums of its neighbourhood, weighted 1 2 1 along and down.
template <class T>
void spatial_row(const T *const *rows, int, int begin, int end, std::int32_t *, std::uint32_t *columns) {
    const Lanes<T> d;
    const auto column = [&](int x) HWY_ATTR {
        const auto middle = load(d, rows[1] + x);
        return hn::Add(hn::Add(load(d, rows[0] + x), load(d, rows[2] + x)), hn::Add(middle, middle));
    };
    for (int x = begin; x < end; x += int(hn::Lanes(d))) {
        const auto centre = column(x);
        const auto sum = hn::Add(hn::Add(column(x - 1), column(x + 1)), hn::Add(centre, centre));
        add_magnitudes(hn::Sub(hn::ShiftLeft<4>(load(d, rows[1] + x)), sum), columns + x);
    }
}

template <class T> HWY_INLINE hn::Vec<Lanes<T>> difference(const T *now, const T *before, const T *earlier, int x) {
    const Lanes<T> d;
    const auto middle = load(d, before + x);
    const auto first = hn::Sub(load(d, now + x), middle);
    return earlier ? hn::Add(hn::Sub(first, middle), load(d, earlier + x)) : first;
}

template <class T>
void temporal_row(const T *const *now, const T *const *before, const T *const *earlier, int width, std::int32_t *,
                  std::uint32_t *columns) {
    const T *const third = earlier ? earlier[0] : nullptr;
    for (int x = 0; x < width; x += int(hn::Lanes(Lanes<T>())))
        add_magnitudes(difference(now[0], before[0], third, x), columns + x);
}

// Lanes with even numbers.
HWY_INLINE hn::Vec<D32> even_lanes(hn::Vec<D32> v) {
    return hn::BitCast(D32(), hn::And(hn::BitCast(hn::ScalableTag<std::uint64_t>(), v),
                                      hn::Set(hn::ScalableTag<std::uint64_t>(), 0xffffffffu)));
}

// The filter is symmetric up and down: three forms of each column, summed along.
template <class T>
void large_spatial_row(const T *const *rows, int width, int begin, int end, std::int32_t *scratch,
                       std::uint32_t *columns) {
    const D32 d;
    const int lanes = int(hn::Lanes(d));
    std::int32_t *const outer = scratch, *const inner = outer + scratch_stride(width),
                        *const centre = inner + scratch_stride(width);
    const int reach = end + 3 < width ? end + 3 : width;
    for (int x = begin - 2; x < reach; x += lanes) {
        const auto a = hn::Add(load(d, rows[0] + x), load(d, rows[5] + x));
        const auto b = hn::Add(load(d, rows[1] + x), load(d, rows[4] + x));
        const auto c = hn::Add(load(d, rows[2] + x), load(d, rows[3] + x));
        const auto b3 = hn::Add(b, hn::Add(b, b)), c3 = hn::Add(c, hn::Add(c, c));
        hn::StoreU(hn::Add(b, c), d, outer + x);
        hn::StoreU(hn::Add(hn::Add(a, hn::Add(b, b)), c3), d, inner + x);
        hn::StoreU(hn::Sub(hn::ShiftLeft<2>(c3), hn::Add(a, b3)), d, centre + x);
    }
    for (std::int32_t *const form : {outer, inner, centre}) form[width] = form[width - 1];
    for (int x = begin; x < end; x += lanes) {
        const auto middle = hn::Add(hn::LoadU(d, centre + x), hn::LoadU(d, centre + x + 1));
        const auto left = hn::Add(hn::LoadU(d, outer + x - 2), hn::LoadU(d, inner + x - 1));
        const auto right = hn::Add(hn::LoadU(d, inner + x + 2), hn::LoadU(d, outer + x + 3));
        add_magnitudes(even_lanes(hn::Sub(middle, hn::Add(left, right))), columns + x);
    }
}

template <class T>
void large_temporal_row(const T *const *now, const T *const *before, const T *const *earlier, int width,
                        std::int32_t *scratch, std::uint32_t *columns) {
    const D32 d;
    const int lanes = int(hn::Lanes(d));
    const auto sum = [&](const T *const *rows, int x)
                         HWY_ATTR { return hn::Add(load(d, rows[0] + x), load(d, rows[1] + x)); };
    for (int x = 0; x < width; x += lanes) {
        const auto middle = sum(before, x);
        auto value = hn::Sub(sum(now, x), middle);
        if (earlier) value = hn::Add(hn::Sub(value, middle), sum(earlier, x));
        hn::StoreU(value, d, scratch + x);
    }
    scratch[width] = scratch[width - 1];
    for (int x = 0; x < width; x += lanes)
        add_magnitudes(even_lanes(hn::Add(hn::LoadU(d, scratch + x), hn::LoadU(d, scratch + x + 1))), columns + x);
}

} // namespace vmaf::xpsnr::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::xpsnr {

template <class T> SpatialRow<T> *pick_spatial_row(Isa isa, bool large) {
    static constexpr SimdTable<SpatialRow<T>> kRow = {.scalar = &spatial_row<T>, VMAF_VECTOR_VERSIONS(spatial_row<T>)};
    static constexpr SimdTable<SpatialRow<T>> kLarge = {.scalar = &large_spatial_row<T>,
                                                        VMAF_VECTOR_VERSIONS(large_spatial_row<T>)};
    return (large ? kLarge : kRow).pick(isa);
}
template SpatialRow<std::uint8_t> *pick_spatial_row<std::uint8_t>(Isa, bool);
template SpatialRow<std::uint16_t> *pick_spatial_row<std::uint16_t>(Isa, bool);

template <class T> TemporalRow<T> *pick_temporal_row(Isa isa, bool large) {
    static constexpr SimdTable<TemporalRow<T>> kRow = {.scalar = &temporal_row<T>,
                                                       VMAF_VECTOR_VERSIONS(temporal_row<T>)};
    static constexpr SimdTable<TemporalRow<T>> kLarge = {.scalar = &large_temporal_row<T>,
                                                         VMAF_VECTOR_VERSIONS(large_temporal_row<T>)};
    return (large ? kLarge : kRow).pick(isa);
}
template TemporalRow<std::uint8_t> *pick_temporal_row<std::uint8_t>(Isa, bool);
template TemporalRow<std::uint16_t> *pick_temporal_row<std::uint16_t>(Isa, bool);

} // namespace vmaf::xpsnr
#endif
