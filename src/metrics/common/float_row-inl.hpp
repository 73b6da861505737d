// Per target: samples as floats on the 8-bit scale, the vector form of to_float_row() (metrics/common/float_plane.hpp).
// Include it inside `#if VMAF_VECTOR_PASS`, before HWY_BEFORE_NAMESPACE.
#if defined(VMAF_FLOAT_ROW_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_FLOAT_ROW_INL_HPP
#undef VMAF_FLOAT_ROW_INL_HPP
#else
#define VMAF_FLOAT_ROW_INL_HPP
#endif

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace vmaf::HWY_NAMESPACE {

// Writes whole vectors; `out` is aligned.
template <class T> void vector_to_float_row(const T *in, int width, unsigned bits, float offset, float *out) {
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::ScalableTag<float> d;
    const hn::ScalableTag<std::int32_t> di;
    const auto scale = hn::Set(d, 1.0f / float(1u << (bits - 8))), shift = hn::Set(d, offset);
    for (int x = 0; x < width; x += int(hn::Lanes(d))) {
        const auto samples = hn::PromoteTo(di, hn::LoadU(hn::Rebind<T, decltype(di)>(), in + x));
        hn::Store(hn::Add(hn::Mul(hn::ConvertTo(d, samples), scale), shift), d, out + x);
    }
}

} // namespace vmaf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
