// motion.md 2.3 on vectors, with the same bits. Rows are taken one at a time: differences of a new row go into a ring
// of five, the ring is blurred down the columns into one row of 16-bit values, that row is blurred along and summed.
// Blurred values need 17 bits and a sign, but only where whole areas change by more than half of the range; tiles of a
// row with such values take the 32-bit forms of motion.md 2.7.
#include <algorithm>
#include <cstdint>

#include "base/aligned.hpp"
#include "metrics/common/reflect.hpp"
#include "metrics/motion/motion.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/motion/motion_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "cpu/simd_dot-inl.hpp"
#include "cpu/simd_ends-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::motion::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using vmaf::HWY_NAMESPACE::add_pairs;
using vmaf::HWY_NAMESPACE::first_lanes;
using vmaf::HWY_NAMESPACE::mul_pairs;

using D16 = hn::ScalableTag<std::int16_t>;
using D32 = hn::ScalableTag<std::int32_t>;
using D64 = hn::ScalableTag<std::int64_t>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;
using V64 = hn::Vec<D64>;

constexpr int kPadding = int(kAlignment / sizeof(std::int16_t)); // before a row, so that it stays aligned
constexpr int kRing = 2 * kRadius + 1;
constexpr int kMaxNarrowDifference = 16383; // the sum of two such fits 16 bits
constexpr int kMaxNarrowBlur = 32766;       // 32767 may be a saturated value
constexpr int kTile = 256;                  // columns that are blurred along in 16 or in 32 bits together

enum class Range : std::uint8_t { zero, narrow, wide }; // of blurred values

struct Scratch {
    Scratch(std::byte *memory, int width) : stride(round_up(width, 2 * kPadding) + 2 * kPadding) {
        for (int i = 0; i < kRing; i++)
            difference[i] = reinterpret_cast<std::int16_t *>(memory) + i * stride + kPadding;
        blurred = difference[kRing - 1] + stride;
        wide = reinterpret_cast<std::int32_t *>(blurred + stride - kPadding) + kPadding;
        ranges = reinterpret_cast<Range *>(wide + stride - kPadding);
    }
    int stride;
    std::int16_t *difference[kRing]; // row y is in slot y % kRing
    std::int16_t *blurred;
    std::int32_t *wide;
    Range *ranges; // of the tiles
};

V16 tap_pair(int even, int odd) {
    return hn::BitCast(D16(), hn::Set(D32(), std::int32_t(std::uint32_t(odd) << 16 | std::uint32_t(even))));
}

template <class T> V16 load_difference(const T *before, const T *now) {
    const D16 d;
    if constexpr (sizeof(T) == 1) {
        const hn::Rebind<T, D16> d8;
        return hn::Sub(hn::PromoteTo(d, hn::LoadU(d8, before)), hn::PromoteTo(d, hn::LoadU(d8, now)));
    } else {
        const hn::RebindToUnsigned<D16> du;
        return hn::BitCast(d, hn::Sub(hn::LoadU(du, before), hn::LoadU(du, now)));
    }
}

// earlier - current, modulo 2^16, and zeros past the row's end.
template <class T> void difference_row(const T *before, const T *now, int width, std::int16_t *out) {
    const D16 d;
    const int lanes = int(hn::Lanes(d));
    int x = 0;
    for (; x + lanes <= width; x += lanes) hn::Store(load_difference(before + x, now + x), d, out + x);
    if (x < width) hn::Store(first_lanes(load_difference(before + x, now + x), width - x), d, out + x);
}

// Largest |earlier - current| of a row; for depths at which it can exceed kMaxNarrowDifference.
int largest_difference(const std::uint16_t *before, const std::uint16_t *now, int width) {
    const hn::ScalableTag<std::uint16_t> d;
    const int lanes = int(hn::Lanes(d));
    auto largest = hn::Zero(d);
    for (int x = 0; x < width; x += lanes) {
        const auto a = hn::LoadU(d, before + x), b = hn::LoadU(d, now + x);
        auto difference = hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a));
        if (x + lanes > width) difference = first_lanes(difference, width - x);
        largest = hn::Max(largest, difference);
    }
    HWY_ALIGN std::uint16_t values[HWY_LANES(std::uint16_t)];
    hn::Store(largest, d, values);
    return *std::max_element(values, values + lanes);
}

// v(y, x) for begin <= x < end from differences of at most kMaxNarrowDifference, saturated to 16 bits.
Range blur_columns(const std::int16_t *const rows[5], int begin, int end, unsigned bits, std::int16_t *out) {
    const D16 d;
    const hn::RebindToUnsigned<D16> du;
    const int lanes = int(hn::Lanes(d));
    // (d0 + d4, d1 + d3) and (d2, 2) against these pairs; 2 * 2^(bits - 2) is the rounding.
    const V16 outer_taps = tap_pair(kTaps[0], kTaps[1]), centre_taps = tap_pair(kTaps[2], 1 << (bits - 2)),
              two = hn::Set(d, 2);
    const int shift = int(bits);
    auto largest = hn::Zero(du);
    for (int x = begin; x < end; x += lanes) {
        const V16 far = hn::Add(hn::Load(d, rows[0] + x), hn::Load(d, rows[4] + x));
        const V16 near = hn::Add(hn::Load(d, rows[1] + x), hn::Load(d, rows[3] + x));
        const V16 centre = hn::Load(d, rows[2] + x);
        const V32 low = hn::Add(mul_pairs(hn::InterleaveLower(d, far, near), outer_taps),
                                mul_pairs(hn::InterleaveLower(d, centre, two), centre_taps));
        const V32 high = hn::Add(mul_pairs(hn::InterleaveUpper(d, far, near), outer_taps),
                                 mul_pairs(hn::InterleaveUpper(d, centre, two), centre_taps));
        // Interleaving and narrowing both work within blocks of 128 bits: the order comes out right.
        const V16 v = hn::ReorderDemote2To(d, hn::ShiftRightSame(low, shift), hn::ShiftRightSame(high, shift));
        hn::Store(v, d, out + x);
        largest = hn::Max(largest, hn::BitCast(du, hn::Abs(v)));
    }
    if (hn::AllTrue(du, hn::Eq(largest, hn::Zero(du)))) return Range::zero;
    const auto limit = hn::Set(du, kMaxNarrowBlur);
    return hn::AllTrue(du, hn::Eq(hn::Max(largest, limit), limit)) ? Range::narrow : Range::wide;
}

template <class T> void mirror_ends(T *v, int width) {
    for (int i = 1; i <= kRadius; i++) {
        v[-i] = v[reflect(-i, width)];
        v[width - 1 + i] = v[reflect(width - 1 + i, width)];
    }
}

V64 widen_add(V64 total, V32 v) {
    const D64 d;
    return hn::Add(total,
                   hn::Add(hn::PromoteTo(d, hn::LowerHalf(v)), hn::PromoteTo(d, hn::UpperHalf(hn::Half<D32>(), v))));
}

// Adds |u(y, x)| for begin <= x < end, from values of at most kMaxNarrowBlur: then every sum fits 32 bits and u
// fits 16.
template <class Dot> V64 blur_along(const std::int16_t *v, int begin, int end, V64 total) {
    const D16 d;
    const D32 d32;
    const int lanes = int(hn::Lanes(d));
    // Columns x, x + 2, ... and x + 1, x + 3, ... from the same three loads.
    const V16 even0 = tap_pair(kTaps[0], kTaps[1]), even1 = tap_pair(kTaps[2], kTaps[3]), even2 = tap_pair(kTaps[4], 0);
    const V16 odd0 = tap_pair(0, kTaps[0]), odd1 = tap_pair(kTaps[1], kTaps[2]), odd2 = tap_pair(kTaps[3], kTaps[4]);
    const V32 half = hn::Set(d32, 1 << 15);
    const auto magnitudes = [&](int x) HWY_ATTR {
        const V16 a = hn::LoadU(d, v + x - 2), b = hn::LoadU(d, v + x), c = hn::LoadU(d, v + x + 2);
        const V32 even = Dot::dot(Dot::dot(Dot::dot(half, a, even0), b, even1), c, even2);
        const V32 odd = Dot::dot(Dot::dot(Dot::dot(half, a, odd0), b, odd1), c, odd2);
        return hn::Abs(hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<16>(even))));
    };
    V32 sum = hn::Zero(d32);
    int x = begin;
    for (; x + lanes <= end; x += lanes) sum = add_pairs(sum, magnitudes(x));
    if (x < end) sum = add_pairs(sum, first_lanes(magnitudes(x), end - x));
    return widen_add(total, sum);
}

// (sum of tap * d[k] + 2^(shift - 1)) >> shift without a 33-bit sum: with d = 2p + q (motion.md 2.7).
HWY_INLINE V32 wide_blur(const V32 (&d)[5], int shift) {
    const D32 d32;
    const V32 one = hn::Set(d32, 1);
    V32 a = hn::Zero(d32), b = hn::Set(d32, 1 << (shift - 1));
    for (int k = 0; k < 5; k++) {
        const V32 tap = hn::Set(d32, kTaps[k]);
        a = hn::Add(a, hn::Mul(tap, hn::ShiftRight<1>(d[k])));
        b = hn::Add(b, hn::Mul(tap, hn::And(d[k], one)));
    }
    return hn::ShiftRightSame(hn::Add(a, hn::ShiftRight<1>(b)), shift - 1);
}

// The same for any values, from the samples themselves.
template <class T>
V64 wide_tile(const T *const before[5], const T *const now[5], int width, unsigned bits, int begin, int end,
              std::int32_t *v, V64 total) {
    const D32 d;
    const hn::Rebind<T, D32> dt;
    const int lanes = int(hn::Lanes(d));
    V32 values[5];
    for (int x = std::max(0, begin - lanes); x < std::min(width, end + kRadius); x += lanes) {
        for (int k = 0; k < 5; k++)
            values[k] =
                hn::Sub(hn::PromoteTo(d, hn::LoadU(dt, before[k] + x)), hn::PromoteTo(d, hn::LoadU(dt, now[k] + x)));
        hn::Store(wide_blur(values, int(bits)), d, v + x);
    }
    if (begin == 0 || end == width) mirror_ends(v, width);
    for (int x = begin; x < end; x += lanes) {
        for (int k = 0; k < 5; k++) values[k] = hn::LoadU(d, v + x - kRadius + k);
        V32 u = hn::Abs(wide_blur(values, 16));
        if (x + lanes > end) u = first_lanes(u, end - x);
        total = widen_add(total, u);
    }
    return total;
}

// Whether blurring along from `begin` to `end` would look at a saturated value of a neighbouring tile.
bool touches_wide(const std::int16_t *v, int begin, int end) {
    const auto is_wide = [&](int x) { return v[x] > kMaxNarrowBlur || v[x] < -kMaxNarrowBlur; };
    return is_wide(begin - 2) || is_wide(begin - 1) || is_wide(end) || is_wide(end + 1);
}

template <class Dot, class T>
HWY_INLINE std::uint64_t sum_rows(const PlaneView<T> &earlier, const PlaneView<T> &current, unsigned bits, int begin,
                                  int end, std::byte *memory) {
    const int width = current.width, height = current.height;
    const Scratch scratch(memory, width);
    bool narrow[kRing] = {true, true, true, true, true};
    const auto add_row = [&](int y) HWY_ATTR {
        difference_row(earlier.row(y), current.row(y), width, scratch.difference[y % kRing]);
        if constexpr (sizeof(T) == 2)
            if (bits > 14)
                narrow[y % kRing] = largest_difference(earlier.row(y), current.row(y), width) <= kMaxNarrowDifference;
    };
    for (int y = std::max(0, begin - kRadius); y < std::min(height, begin + kRadius); y++) add_row(y);

    V64 total = hn::Zero(D64());
    for (int y = begin; y < end; y++) {
        if (y + kRadius < height) add_row(y + kRadius);
        const std::int16_t *rows[5];
        int lines[5];
        bool all_narrow = true;
        for (int k = 0; k < 5; k++) {
            lines[k] = reflect(y - kRadius + k, height);
            rows[k] = scratch.difference[lines[k] % kRing];
            all_narrow = all_narrow && narrow[lines[k] % kRing];
        }
        Range row_range = all_narrow ? Range::zero : Range::wide;
        for (int x = 0, tile = 0; x < width; x += kTile, tile++) {
            Range &range = scratch.ranges[tile];
            range = Range::wide;
            if (all_narrow) range = blur_columns(rows, x, std::min(width, x + kTile), bits, scratch.blurred);
            row_range = std::max(row_range, range);
        }
        if (row_range == Range::zero) continue;
        mirror_ends(scratch.blurred, width);
        if (row_range == Range::narrow) {
            total = blur_along<Dot>(scratch.blurred, 0, width, total);
            continue;
        }
        const T *before[5], *now[5];
        for (int k = 0; k < 5; k++) {
            before[k] = earlier.row(lines[k]);
            now[k] = current.row(lines[k]);
        }
        for (int x = 0, tile = 0; x < width; x += kTile, tile++) {
            const int stop = std::min(width, x + kTile);
            if (scratch.ranges[tile] == Range::wide || touches_wide(scratch.blurred, x, stop))
                total = wide_tile(before, now, width, bits, x, stop, scratch.wide, total);
            else
                total = blur_along<Dot>(scratch.blurred, x, stop, total);
        }
    }
    return std::uint64_t(hn::GetLane(hn::SumOfLanes(D64(), total)));
}

template <class T>
std::uint64_t blurred_difference(const PlaneView<T> &earlier, const PlaneView<T> &current, unsigned bits, int begin,
                                 int end, std::byte *scratch) {
    return sum_rows<vmaf::HWY_NAMESPACE::MulThenAdd>(earlier, current, bits, begin, end, scratch);
}

#if HWY_TARGET == HWY_AVX3
template <class T>
std::uint64_t blurred_difference_vnni(const PlaneView<T> &earlier, const PlaneView<T> &current, unsigned bits,
                                      int begin, int end, std::byte *scratch) {
    return sum_rows<vmaf::HWY_NAMESPACE::Vnni>(earlier, current, bits, begin, end, scratch);
}
#endif

} // namespace vmaf::motion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::motion {

std::size_t scratch_bytes(int width) {
    constexpr std::size_t kRowsOf16Bits = 9; // ring, blurred row, one row of 32 bits, ranges of tiles
    return kRowsOf16Bits * sizeof(std::int16_t) * (round_up(std::size_t(width), kAlignment) + kAlignment);
}

template <class T> BlurredDifference<T> *pick_blurred_difference(Isa isa) {
    static constexpr SimdTable<BlurredDifference<T>> kTable = {.scalar = &blurred_difference<T>,
                                                               VMAF_VECTOR_VERSIONS(blurred_difference<T>)
                                                                   VMAF_VNNI_VERSION(blurred_difference_vnni<T>)};
    return kTable.pick(isa);
}
template BlurredDifference<std::uint8_t> *pick_blurred_difference<std::uint8_t>(Isa);
template BlurredDifference<std::uint16_t> *pick_blurred_difference<std::uint16_t>(Isa);

} // namespace vmaf::motion
#endif
