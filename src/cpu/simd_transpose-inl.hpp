// Per target: transposes a square of 32-bit elements. Include it inside `#if VMAF_VECTOR_PASS`, before
// HWY_BEFORE_NAMESPACE.
#if defined(VMAF_SIMD_TRANSPOSE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_SIMD_TRANSPOSE_INL_HPP
#undef VMAF_SIMD_TRANSPOSE_INL_HPP
#else
#define VMAF_SIMD_TRANSPOSE_INL_HPP
#endif

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace vmaf::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using VecU32 = hn::Vec<hn::ScalableTag<std::uint32_t>>;

// Swaps the rows and columns of a square of 32-bit elements.
HWY_INLINE void transpose(VecU32 (&v)[HWY_LANES(std::uint32_t)]) {
    constexpr int kLanes = HWY_LANES(std::uint32_t);
    const hn::ScalableTag<std::uint32_t> d;
    const hn::ScalableTag<std::uint64_t> d64;
    VecU32 pairs[kLanes], quads[kLanes];
    HWY_UNROLL(8)
    for (int i = 0; i < kLanes; i += 2) {
        pairs[i] = hn::InterleaveLower(d, v[i], v[i + 1]);
        pairs[i + 1] = hn::InterleaveUpper(d, v[i], v[i + 1]);
    }
    const auto lower64 = [&](VecU32 a, VecU32 b) HWY_ATTR {
        return hn::BitCast(d, hn::InterleaveLower(d64, hn::BitCast(d64, a), hn::BitCast(d64, b)));
    };
    const auto upper64 = [&](VecU32 a, VecU32 b) HWY_ATTR {
        return hn::BitCast(d, hn::InterleaveUpper(d64, hn::BitCast(d64, a), hn::BitCast(d64, b)));
    };
    HWY_UNROLL(4)
    for (int i = 0; i < kLanes; i += 4) {
        quads[i] = lower64(pairs[i], pairs[i + 2]);
        quads[i + 1] = upper64(pairs[i], pairs[i + 2]);
        quads[i + 2] = lower64(pairs[i + 1], pairs[i + 3]);
        quads[i + 3] = upper64(pairs[i + 1], pairs[i + 3]);
    }
#if HWY_TARGET == HWY_NEON || HWY_TARGET == HWY_WASM
    for (int i = 0; i < kLanes; i++) v[i] = quads[i];
#elif HWY_TARGET == HWY_AVX2
    HWY_UNROLL(4)
    for (int i = 0; i < 4; i++) {
        v[i] = hn::ConcatLowerLower(d, quads[i + 4], quads[i]);
        v[i + 4] = hn::ConcatUpperUpper(d, quads[i + 4], quads[i]);
    }
#else
    // Blocks of 128 bits: even and odd blocks of two vectors, twice.
    const auto even_blocks = [](VecU32 a, VecU32 b)
                                 HWY_ATTR { return VecU32{_mm512_shuffle_i32x4(a.raw, b.raw, 0x88)}; };
    const auto odd_blocks = [](VecU32 a, VecU32 b)
                                HWY_ATTR { return VecU32{_mm512_shuffle_i32x4(a.raw, b.raw, 0xdd)}; };
    HWY_UNROLL(4)
    for (int i = 0; i < 4; i++) {
        const VecU32 a = even_blocks(quads[i], quads[i + 4]), b = odd_blocks(quads[i], quads[i + 4]);
        const VecU32 c = even_blocks(quads[i + 8], quads[i + 12]), e = odd_blocks(quads[i + 8], quads[i + 12]);
        v[i] = even_blocks(a, c);
        v[i + 4] = even_blocks(b, e);
        v[i + 8] = odd_blocks(a, c);
        v[i + 12] = odd_blocks(b, e);
    }
#endif
}

} // namespace vmaf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
