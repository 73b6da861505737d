// Per target: the incomplete vector at the end of a row. Include it inside `#if VMAF_VECTOR_PASS`, before
// HWY_BEFORE_NAMESPACE.
#if defined(VMAF_SIMD_ENDS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_SIMD_ENDS_INL_HPP
#undef VMAF_SIMD_ENDS_INL_HPP
#else
#define VMAF_SIMD_ENDS_INL_HPP
#endif

#include <array>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace vmaf::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The first `count` lanes (0 < count <= lanes), then zeros. Without mask registers hn::FirstN builds its mask on the
// stack, which costs more than a narrow row; a table is faster there.
template <class V> HWY_INLINE V first_lanes(V v, int count) {
    const hn::DFromV<V> d;
#if HWY_TARGET <= HWY_AVX3
    return hn::IfThenElseZero(hn::FirstN(d, std::size_t(count)), v);
#else
    constexpr std::size_t kBytes = HWY_LANES(std::uint8_t);
    static constexpr auto kOnesThenZeros = [] {
        std::array<std::uint8_t, 2 * kBytes> bytes{};
        for (std::size_t i = 0; i < kBytes; i++) bytes[i] = 0xff;
        return bytes;
    }();
    const hn::Repartition<std::uint8_t, decltype(d)> d8;
    const auto mask =
        hn::LoadU(d8, kOnesThenZeros.data() + kBytes - std::size_t(count) * sizeof(hn::TFromD<decltype(d)>));
    return hn::And(v, hn::BitCast(d, mask));
#endif
}

} // namespace vmaf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
