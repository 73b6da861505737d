// Per target: sums of the squares of a row of samples or errors, exact or with each square rounded to float.
// `load(x)` returns the values from column x on; values past the end of the row are ignored. Include
// it inside `#if VMAF_VECTOR_PASS`, before HWY_BEFORE_NAMESPACE.
#if defined(VMAF_SIMD_SQUARES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_SIMD_SQUARES_INL_HPP
#undef VMAF_SIMD_SQUARES_INL_HPP
#else
#define VMAF_SIMD_SQUARES_INL_HPP
#endif

#include "cpu/simd_dot-inl.hpp"
#include "cpu/simd_ends-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::HWY_NAMESPACE {

using DU8 = hn::ScalableTag<std::uint8_t>;
using DU16 = hn::ScalableTag<std::uint16_t>;
using DU32 = hn::ScalableTag<std::uint32_t>;
using DU64 = hn::ScalableTag<std::uint64_t>;
using DF64 = hn::ScalableTag<double>;
using VecU64 = hn::Vec<DU64>;
using VecF64 = hn::Vec<DF64>;

// Adds both 32-bit halves of every 64 bits.
HWY_INLINE VecU64 add_halves(VecU64 total, hn::Vec<DU32> v) {
    const auto wide = hn::BitCast(DU64(), v);
    return hn::Add(total, hn::Add(hn::And(wide, hn::Set(DU64(), 0xffffffffu)), hn::ShiftRight<32>(wide)));
}

// Values of 8 bits, and of up to 12 bits in 16.
HWY_INLINE VecI32 add_squares(VecI32 sum, hn::Vec<DU8> v) {
    const DU8 d;
    const hn::ScalableTag<std::int16_t> d16;
    const auto low = hn::BitCast(d16, hn::InterleaveLower(d, v, hn::Zero(d)));
    const auto high = hn::BitCast(d16, hn::InterleaveUpper(d, v, hn::Zero(d)));
    return hn::Add(sum, hn::Add(mul_pairs(low, low), mul_pairs(high, high)));
}
HWY_INLINE VecI32 add_squares(VecI32 sum, hn::Vec<DU16> v) {
    const auto words = hn::BitCast(hn::ScalableTag<std::int16_t>(), v);
    return hn::Add(sum, mul_pairs(words, words));
}

template <class T, class Load> HWY_INLINE VecU64 row_squares(int width, VecU64 total, const Load &load) {
    const hn::ScalableTag<T> d;
    const int lanes = int(hn::Lanes(d));
    // A lane can add the squares of this many vectors before it could overflow: four of 16 bits each, or two
    // of 24.
    constexpr int kVectors = sizeof(T) == 1 ? 1 << 14 : 1 << 7;
    int x = 0;
    while (x < width) {
        VecI32 sum = hn::Zero(hn::ScalableTag<std::int32_t>());
        const int stop = (width - x) / lanes >= kVectors ? x + kVectors * lanes : width;
        for (; x + lanes <= stop; x += lanes) sum = add_squares(sum, load(x));
        if (x < stop) { // the end of the row
            sum = add_squares(sum, first_lanes(load(x), width - x));
            x = width;
        }
        total = add_halves(total, hn::BitCast(DU32(), sum));
    }
    return total;
}

// 16-bit values: 32-bit squares, summed as upper and lower halves.
template <class Load> HWY_INLINE VecU64 row_squares_16bit(int width, VecU64 total, const Load &load) {
    const DU16 d;
    const DU32 d32;
    const int lanes = int(hn::Lanes(d));
    const auto mask = hn::Set(d32, 0xffffu);
    const auto add = [&](hn::Vec<DU32> sum, hn::Vec<DU16> v) HWY_ATTR {
        const auto pairs = hn::BitCast(d32, v);
        return hn::Add(sum, hn::Add(hn::And(pairs, mask), hn::ShiftRight<16>(pairs)));
    };
    constexpr int kVectors = 1 << 15;
    int x = 0;
    while (x < width) {
        auto low = hn::Zero(d32), high = hn::Zero(d32);
        const int stop = (width - x) / lanes >= kVectors ? x + kVectors * lanes : width;
        for (; x < stop; x += lanes) {
            auto v = load(x);
            if (x + lanes > width) v = first_lanes(v, width - x);
            low = add(low, hn::Mul(v, v));
            high = add(high, hn::MulHigh(v, v));
        }
        total = add_halves(total, low);
        total = hn::Add(total, hn::ShiftLeft<16>(add_halves(hn::Zero(DU64()), high)));
    }
    return total;
}

// 16-bit values, each square rounded to float. Below 2^53 the sum is exact in any order.
template <class Load> HWY_INLINE VecF64 row_rounded_squares(int width, VecF64 total, const Load &load) {
    const DU16 d;
    const hn::Half<DU16> half16;
    const hn::ScalableTag<float> df;
    const hn::Half<decltype(df)> half_float;
    const hn::ScalableTag<std::int32_t> d32;
    const int lanes = int(hn::Lanes(d));
    const auto add = [&](VecF64 sum, hn::Vec<decltype(half16)> v) HWY_ATTR {
        const auto value = hn::ConvertTo(df, hn::PromoteTo(d32, v)), square = hn::Mul(value, value);
        const auto low = hn::PromoteTo(DF64(), hn::LowerHalf(square));
        return hn::Add(sum, hn::Add(low, hn::PromoteTo(DF64(), hn::UpperHalf(half_float, square))));
    };
    for (int x = 0; x < width; x += lanes) {
        auto v = load(x);
        if (x + lanes > width) v = first_lanes(v, width - x);
        total = add(add(total, hn::LowerHalf(half16, v)), hn::UpperHalf(half16, v));
    }
    return total;
}

inline constexpr double kExactLimit = 9007199254740992.0; // 2^53

} // namespace vmaf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
