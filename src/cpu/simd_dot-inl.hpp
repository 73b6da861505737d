// Per target: products of 16-bit lanes summed in neighbouring pairs, for which Highway
// has no operation. Include it inside `#if VMAF_VECTOR_PASS`, before
// HWY_BEFORE_NAMESPACE.
#if defined(VMAF_SIMD_DOT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_SIMD_DOT_INL_HPP
#undef VMAF_SIMD_DOT_INL_HPP
#else
#define VMAF_SIMD_DOT_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace vmaf::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using VecI16 = hn::Vec<hn::ScalableTag<std::int16_t>>;
using VecI32 = hn::Vec<hn::ScalableTag<std::int32_t>>;

// a[2i] * b[2i] + a[2i+1] * b[2i+1]
HWY_INLINE VecI32 mul_pairs(VecI16 a, VecI16 b) {
#if HWY_TARGET == HWY_NEON
    return VecI32(vpaddq_s32(vmull_s16(vget_low_s16(a.raw), vget_low_s16(b.raw)), vmull_high_s16(a.raw, b.raw)));
#elif HWY_TARGET == HWY_WASM
    return VecI32{wasm_i32x4_dot_i16x8(a.raw, b.raw)};
#elif HWY_TARGET == HWY_AVX3
    return VecI32{_mm512_madd_epi16(a.raw, b.raw)};
#else
    return VecI32{_mm256_madd_epi16(a.raw, b.raw)};
#endif
}

// Two versions of acc + mul_pairs(a, b), a template argument of kernels that gain from the second.
struct MulThenAdd {
    static HWY_INLINE VecI32 dot(VecI32 acc, VecI16 a, VecI16 b) { return hn::Add(acc, mul_pairs(a, b)); }
};

#if HWY_TARGET == HWY_AVX3
// One instruction of AVX512_VNNI (Isa::avx512icl). Written as assembly because Highway's AVX3 target does not permit
// the intrinsic, and GCC does not inline between functions of different targets.
struct Vnni {
    static HWY_INLINE VecI32 dot(VecI32 acc, VecI16 a, VecI16 b) {
        __asm__("vpdpwssd %2, %1, %0" : "+v"(acc.raw) : "v"(a.raw), "vm"(b.raw));
        return acc;
    }
};
#endif

// Adds neighbouring pairs of non-negative lanes to acc.
HWY_INLINE VecI32 add_pairs(VecI32 acc, VecI16 v) {
#if HWY_TARGET == HWY_NEON
    return VecI32(vpadalq_s16(acc.raw, v.raw));
#elif HWY_TARGET == HWY_WASM
    return hn::Add(acc, VecI32{wasm_i32x4_extadd_pairwise_i16x8(v.raw)});
#else
    return hn::Add(acc, mul_pairs(v, hn::Set(hn::ScalableTag<std::int16_t>(), 1)));
#endif
}

using VecU8 = hn::Vec<hn::ScalableTag<std::uint8_t>>;
using VecU16 = hn::Vec<hn::ScalableTag<std::uint16_t>>;

// v[2i] + v[2i+1]
HWY_INLINE VecU16 sum_byte_pairs(VecU8 v) {
#if HWY_TARGET == HWY_NEON
    return VecU16(vpaddlq_u8(v.raw));
#elif HWY_TARGET == HWY_WASM
    return VecU16{wasm_u16x8_extadd_pairwise_u8x16(v.raw)};
#elif HWY_TARGET == HWY_AVX3
    return VecU16{_mm512_maddubs_epi16(v.raw, _mm512_set1_epi8(1))};
#else
    return VecU16{_mm256_maddubs_epi16(v.raw, _mm256_set1_epi8(1))};
#endif
}

} // namespace vmaf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
