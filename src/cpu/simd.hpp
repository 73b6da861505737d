// Compiles a vector source once for each instruction set, with Highway's headers and our own choice at run time
// (docs/development/simd.md). The source includes itself through HWY_TARGET_INCLUDE:
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "metrics/motion/motion_simd.cpp"
//   #include "cpu/simd.hpp"
//
//   #if VMAF_VECTOR_PASS
//   HWY_BEFORE_NAMESPACE();
//   namespace vmaf::motion::HWY_NAMESPACE { ... sum_rows(...) ... }
//   HWY_AFTER_NAMESPACE();
//   #endif
//
//   #if HWY_ONCE
//   namespace vmaf::motion {
//   constexpr SimdTable<Function> kSumRows = {.scalar = scalar_sum_rows, VMAF_VECTOR_VERSIONS(sum_rows)};
//   }
//   #endif
//
// No include guard: Highway changes its target with every inclusion.
#include "config.h"
#include "cpu/simd_table.hpp"

#if VMAF_ENABLE_ASM && (defined(__x86_64__) || defined(__aarch64__) || defined(__wasm_simd128__))

#ifndef HWY_DISABLED_TARGETS
#define HWY_BROKEN_EMU128 1 // one fallback pass with every compiler: HWY_SCALAR, where we use our scalar code
// Lists the wanted targets, not the unwanted ones: newer Highways have more of both.
#if defined(__x86_64__)
#define HWY_BASELINE_TARGETS HWY_SCALAR // also with -march=native: the choice is made at run time
#if VMAF_ENABLE_AVX512
#define HWY_DISABLED_TARGETS (~(HWY_SCALAR | HWY_AVX2 | HWY_AVX3))
#else
#define HWY_DISABLED_TARGETS (~(HWY_SCALAR | HWY_AVX2))
#endif
#elif defined(__wasm__)
#define HWY_BASELINE_TARGETS (HWY_WASM | HWY_SCALAR)
#define HWY_DISABLED_TARGETS (~(HWY_SCALAR | HWY_WASM))
#else
#define HWY_BASELINE_TARGETS (HWY_NEON | HWY_SCALAR)
#define HWY_DISABLED_TARGETS (~(HWY_SCALAR | HWY_NEON))
#endif
#endif

// The order matters.
// clang-format off
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "hwy/cache_control.h"
// clang-format on

#define VMAF_VECTOR_PASS (HWY_TARGET != HWY_SCALAR)

#undef VMAF_VECTOR_VERSIONS
#undef VMAF_VNNI_VERSION
#if defined(__wasm__)
#define VMAF_VECTOR_VERSIONS(...) .wasm = &N_WASM::__VA_ARGS__,
#define VMAF_VNNI_VERSION(...)
#elif defined(__aarch64__)
#define VMAF_VECTOR_VERSIONS(...) .neon = &N_NEON::__VA_ARGS__,
#define VMAF_VNNI_VERSION(...)
#elif VMAF_ENABLE_AVX512
#define VMAF_VECTOR_VERSIONS(...) .avx2 = &N_AVX2::__VA_ARGS__, .avx512 = &N_AVX3::__VA_ARGS__,
#define VMAF_VNNI_VERSION(...) .avx512icl = &N_AVX3::__VA_ARGS__,
#else
#define VMAF_VECTOR_VERSIONS(...) .avx2 = &N_AVX2::__VA_ARGS__,
#define VMAF_VNNI_VERSION(...)
#endif

#else // scalar code only

#undef HWY_ONCE
#define HWY_ONCE 1
#define VMAF_VECTOR_PASS 0
#define VMAF_VECTOR_VERSIONS(...)
#define VMAF_VNNI_VERSION(...)

#endif
