// Per target: doubles to integers of 32 bits. To be included inside `#if VMAF_VECTOR_PASS`, before
// HWY_BEFORE_NAMESPACE.
#if defined(VMAF_SIMD_WHOLE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_SIMD_WHOLE_INL_HPP
#undef VMAF_SIMD_WHOLE_INL_HPP
#else
#define VMAF_SIMD_WHOLE_INL_HPP
#endif

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace vmaf::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Whole parts, of the lower and of the upper half of the lanes; whatever for numbers that do not fit.
template <class VD> HWY_INLINE hn::Vec<hn::ScalableTag<std::int32_t>> whole_parts(VD lower, VD upper) {
    const hn::ScalableTag<std::int32_t> d;
#if HWY_TARGET == HWY_WASM
    // Clang 14 converts the lanes one by one. 1.5 * 2^52 leaves an integer in the lower half of its sum.
    const auto bits = [](VD v) HWY_ATTR { return hn::Add(hn::Trunc(v), hn::Set(hn::DFromV<VD>(), 0x1.8p52)).raw; };
    return hn::VFromD<decltype(d)>{wasm_i32x4_shuffle(bits(lower), bits(upper), 0, 2, 4, 6)};
#else
    const hn::Half<decltype(d)> half;
    return hn::Combine(d, hn::DemoteTo(half, upper), hn::DemoteTo(half, lower));
#endif
}

} // namespace vmaf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
