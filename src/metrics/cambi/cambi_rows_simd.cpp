// The row functions on vectors. Whole vectors only; the scalar functions finish each row, because what lies after a
// row of a canvas must stay as it is.
#include <cstdint>

#include "metrics/cambi/cambi_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/cambi/cambi_rows_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "cpu/simd_dot-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::cambi::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using vmaf::HWY_NAMESPACE::sum_byte_pairs;
using D8 = hn::ScalableTag<std::uint8_t>;
using D16 = hn::ScalableTag<std::uint16_t>;
using DI16 = hn::ScalableTag<std::int16_t>;
using DHalf8 = hn::Half<D8>;
using V16 = hn::Vec<D16>;

constexpr int kLanes8 = int(HWY_LANES(std::uint8_t)), kLanes16 = int(HWY_LANES(std::uint16_t));

void widen(const std::uint8_t *from, std::uint16_t *to, int count) {
    const D16 d;
    int x = 0;
    for (; x + kLanes16 <= count; x += kLanes16)
        hn::StoreU(hn::ShiftLeft<2>(hn::PromoteTo(d, hn::LoadU(DHalf8(), from + x))), d, to + x);
    scalar_rows.widen(from + x, to + x, count - x);
}

void convert(const std::uint16_t *from, std::uint16_t *to, int count, unsigned bits) {
    const D16 d;
    int x = 0;
    if (bits <= 10) {
        for (; x + kLanes16 <= count; x += kLanes16)
            hn::StoreU(hn::ShiftLeftSame(hn::LoadU(d, from + x), int(10 - bits)), d, to + x);
    } else {
        // The sum may need 17 bits: the rounding bit is added after the shift.
        const V16 one = hn::Set(d, 1);
        for (; x + kLanes16 <= count; x += kLanes16) {
            const V16 shifted = hn::ShiftRightSame(hn::LoadU(d, from + x), int(bits - 11));
            hn::StoreU(hn::Add(hn::ShiftRight<1>(shifted), hn::And(shifted, one)), d, to + x);
        }
    }
    scalar_rows.convert(from + x, to + x, count - x, bits);
}

void remove_dither(std::uint16_t *row, const std::uint16_t *below, int count) {
    const D16 d;
    int x = 0;
    for (; x + kLanes16 <= count; x += kLanes16) {
        const V16 upper = hn::Add(hn::LoadU(d, row + x), hn::LoadU(d, row + x + 1));
        const V16 lower = hn::Add(hn::LoadU(d, below + x), hn::LoadU(d, below + x + 1));
        hn::StoreU(hn::ShiftRight<2>(hn::Add(upper, lower)), d, row + x);
    }
    scalar_rows.remove_dither(row + x, below + x, count - x);
}

// Sums of neighbours at even and at odd places, a vector of each.
void sum_of_four(const std::uint8_t *row, const std::uint8_t *below, std::uint16_t *to, int count) {
    int x = 0;
    for (; x + kLanes8 <= count; x += kLanes8) {
        const auto sum = [&](int offset) HWY_ATTR {
            return hn::Add(sum_byte_pairs(hn::LoadU(D8(), row + x + offset)),
                           sum_byte_pairs(hn::LoadU(D8(), below + x + offset)));
        };
        hn::StoreInterleaved2(sum(0), sum(1), D16(), to + x);
    }
    scalar_rows.sum_of_four(row + x, below + x, to + x, count - x);
}

void mark_flat(const std::uint16_t *row, const std::uint16_t *below, std::uint8_t *flat, std::uint8_t *totals,
               int count) {
    const D16 d;
    const D8 d8;
    const V16 one = hn::Set(d, 1);
    int x = 0;
    for (; x + kLanes8 <= count; x += kLanes8) {
        const auto half = [&](int at) HWY_ATTR {
            const V16 here = hn::LoadU(d, row + at);
            const auto equal =
                hn::And(hn::Eq(here, hn::LoadU(d, row + at + 1)), hn::Eq(here, hn::LoadU(d, below + at)));
            return hn::DemoteTo(DHalf8(), hn::BitCast(DI16(), hn::IfThenElseZero(equal, one)));
        };
        const auto now = hn::Combine(d8, half(x + kLanes16), half(x));
        const auto change = hn::Sub(now, hn::LoadU(d8, flat + x));
        hn::StoreU(hn::Add(hn::LoadU(d8, totals + x), change), d8, totals + x);
        hn::StoreU(now, d8, flat + x);
    }
    scalar_rows.mark_flat(row + x, below + x, flat + x, totals + x, count - x);
}

void mask(const std::uint8_t *totals, int threshold, std::uint8_t *mask, int count) {
    const D8 d;
    const auto limit = hn::Set(d, std::uint8_t(threshold)), one = hn::Set(d, 1);
    int x = 0;
    for (; x + kLanes8 <= count; x += kLanes8) {
        const auto at = [&](int offset) HWY_ATTR { return hn::LoadU(d, totals + x + offset); };
        const auto left = hn::Add(hn::Add(at(-3), at(-2)), at(-1)), right = hn::Add(hn::Add(at(1), at(2)), at(3));
        const auto sum = hn::Add(hn::Add(left, right), at(0));
        hn::StoreU(hn::Min(hn::SaturatedSub(sum, limit), one), d, mask + x);
    }
    scalar_rows.mask(totals + x, threshold, mask + x, count - x);
}

void mask_halved(const std::uint8_t *totals, int threshold, std::uint8_t *mask, int count) {
    const D8 d;
    const D16 d16;
    const V16 limit = hn::Set(d16, std::uint16_t(threshold)), one = hn::Set(d16, 1);
    int x = 0;
    for (; x + kLanes16 <= count; x += kLanes16) {
        const auto at = [&](int offset) HWY_ATTR { return hn::LoadU(d, totals + 2 * x + offset); };
        const V16 six = sum_byte_pairs(hn::Add(hn::Add(at(-3), at(-1)), at(1)));
        const V16 sum = hn::Add(six, hn::ShiftRight<8>(hn::BitCast(d16, at(2)))); // its odd bytes
        const V16 is_above = hn::Min(hn::SaturatedSub(sum, limit), one);
        hn::StoreU(hn::DemoteTo(DHalf8(), hn::BitCast(DI16(), is_above)), DHalf8(), mask + x);
    }
    scalar_rows.mask_halved(totals + 2 * x, threshold, mask + x, count - x);
}

// Pairs of samples are read as one number, and its upper half is dropped.
void decimate_image(const std::uint16_t *from, std::uint16_t *to, int count) {
    const hn::ScalableTag<std::int32_t> pairs;
    const hn::Half<D16> half;
    const auto even = hn::Set(pairs, 0xffff);
    constexpr int kStep = kLanes16 / 2;
    int x = 0;
    for (; x + kStep <= count; x += kStep) {
        const auto both = hn::BitCast(pairs, hn::LoadU(D16(), from + 2 * x));
        hn::StoreU(hn::DemoteTo(half, hn::And(both, even)), half, to + x);
    }
    scalar_rows.decimate_image(from + 2 * x, to + x, count - x);
}

void decimate_mask(const std::uint8_t *from, std::uint8_t *to, int count) {
    const auto even = hn::Set(DI16(), 0xff);
    constexpr int kStep = kLanes8 / 2;
    int x = 0;
    for (; x + kStep <= count; x += kStep) {
        const auto both = hn::BitCast(DI16(), hn::LoadU(D8(), from + 2 * x));
        hn::StoreU(hn::DemoteTo(DHalf8(), hn::And(both, even)), DHalf8(), to + x);
    }
    scalar_rows.decimate_mask(from + 2 * x, to + x, count - x);
}

HWY_INLINE V16 mode_of_three(V16 a, V16 b, V16 c) {
    const V16 least = hn::Min(hn::Min(a, b), c);
    const V16 first = hn::IfThenElse(hn::Or(hn::Eq(a, b), hn::Eq(a, c)), a, least);
    return hn::IfThenElse(hn::Eq(b, c), b, first);
}

void mode_along(const std::uint16_t *row, std::uint16_t *out, int count) {
    const D16 d;
    int x = 0;
    for (; x + kLanes16 <= count; x += kLanes16)
        hn::StoreU(mode_of_three(hn::LoadU(d, row + x - 1), hn::LoadU(d, row + x), hn::LoadU(d, row + x + 1)), d,
                   out + x);
    scalar_rows.mode_along(row + x, out + x, count - x);
}

void mode_across(const std::uint16_t *above, const std::uint16_t *here, const std::uint16_t *below, std::uint16_t *out,
                 int count) {
    const D16 d;
    int x = 0;
    for (; x + kLanes16 <= count; x += kLanes16)
        hn::StoreU(mode_of_three(hn::LoadU(d, above + x), hn::LoadU(d, here + x), hn::LoadU(d, below + x)), d, out + x);
    scalar_rows.mode_across(above + x, here + x, below + x, out + x, count - x);
}

constexpr RowFunctions kRows = {widen,       convert,        remove_dither, sum_of_four, mark_flat,  mask,
                                mask_halved, decimate_image, decimate_mask, mode_along,  mode_across};

} // namespace vmaf::cambi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::cambi {

const RowFunctions &pick_rows(Isa isa) {
    static constexpr SimdTable<const RowFunctions> kTable = {.scalar = &scalar_rows, VMAF_VECTOR_VERSIONS(kRows)};
    return *kTable.pick(isa);
}

} // namespace vmaf::cambi
#endif
