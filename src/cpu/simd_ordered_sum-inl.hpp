// Per target: sums of float rows from left to right, rounded after each addition like the scalar code. Each lane sums
// one row. Include it inside `#if VMAF_VECTOR_PASS`, before HWY_BEFORE_NAMESPACE.
#if defined(VMAF_SIMD_ORDERED_SUM_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_SIMD_ORDERED_SUM_INL_HPP
#undef VMAF_SIMD_ORDERED_SUM_INL_HPP
#else
#define VMAF_SIMD_ORDERED_SUM_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace vmaf::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kOrderedRows = 16;

// Four columns of the rows first, first + 4, first + 8, ...: one block of 128 bits each.
HWY_INLINE hn::Vec<hn::ScalableTag<float>> load_quads(const float *first, std::ptrdiff_t stride) {
    const hn::CappedTag<float, 4> d4;
    const auto quad = [&](int block) HWY_ATTR { return hn::LoadU(d4, first + 4 * block * stride); };
#if HWY_TARGET == HWY_AVX3
    const hn::CappedTag<float, 8> d8;
    return hn::Combine(hn::ScalableTag<float>(), hn::Combine(d8, quad(3), quad(2)), hn::Combine(d8, quad(1), quad(0)));
#elif HWY_TARGET == HWY_AVX2
    return hn::Combine(hn::ScalableTag<float>(), quad(1), quad(0));
#else
    return quad(0);
#endif
}

// sums[r] = rows[r * stride] + rows[r * stride + 1] + ..., for r < kOrderedRows; `width` values each.
inline void ordered_sums(const float *rows, std::ptrdiff_t stride, int width, float *sums) {
    const hn::ScalableTag<float> d;
    const hn::RepartitionToWide<decltype(d)> d64;
    constexpr int kLanes = HWY_LANES(float), kGroups = kOrderedRows / kLanes;
    hn::Vec<decltype(d)> total[kGroups];
    for (auto &t : total) t = hn::Zero(d);
    int x = 0;
    for (; x + 4 <= width; x += 4)
        for (int g = 0; g < kGroups; g++) {
            const float *const first = rows + g * kLanes * stride + x;
            const auto a = load_quads(first, stride), b = load_quads(first + stride, stride);
            const auto c = load_quads(first + 2 * stride, stride), e = load_quads(first + 3 * stride, stride);
            const auto ab_low = hn::BitCast(d64, hn::InterleaveLower(d, a, b));
            const auto ab_high = hn::BitCast(d64, hn::InterleaveUpper(d, a, b));
            const auto ce_low = hn::BitCast(d64, hn::InterleaveLower(d, c, e));
            const auto ce_high = hn::BitCast(d64, hn::InterleaveUpper(d, c, e));
            auto t = total[g];
            t = hn::Add(t, hn::BitCast(d, hn::InterleaveLower(d64, ab_low, ce_low)));
            t = hn::Add(t, hn::BitCast(d, hn::InterleaveUpper(d64, ab_low, ce_low)));
            t = hn::Add(t, hn::BitCast(d, hn::InterleaveLower(d64, ab_high, ce_high)));
            total[g] = hn::Add(t, hn::BitCast(d, hn::InterleaveUpper(d64, ab_high, ce_high)));
        }
    for (int g = 0; g < kGroups; g++) hn::StoreU(total[g], d, sums + g * kLanes);
    for (; x < width; x++)
        for (int r = 0; r < kOrderedRows; r++) sums[r] += rows[r * stride + x];
}

} // namespace vmaf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
