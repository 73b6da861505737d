// The context (device/kernel.hpp) of AMD devices, and kernel entry points. Device code only: groups have 64 lanes on
// gfx9 and 32 on later targets.
#pragma once

#include <hip/hip_runtime.h>

#include "device/module_api/launch_context.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

class HipContext : public LaunchContext {
  public:
    static constexpr int kGroup = __AMDGCN_WAVEFRONT_SIZE;
#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx942__)
    static constexpr bool kFastF64 = true; // at least half the rate of floats; elsewhere 1/16 or less
#else
    static constexpr bool kFastF64 = false;
#endif
    using f64 = double;

    template <class T> static __device__ __forceinline__ T shuffle(T v, int lane) { return __shfl(v, lane); }
    static __device__ __forceinline__ u64 ballot(bool flag) { return __ballot(flag); }
    static __device__ __forceinline__ u32 group_max(u32 v) {
        for (int distance = kGroup / 2; distance > 0; distance /= 2) v = larger(v, __shfl_xor(v, distance));
        return v;
    }
    static __device__ __forceinline__ u32 group_min(u32 v) { return ~group_max(~v); }
    static __device__ __forceinline__ u32 group_sum(u32 v) {
        for (int distance = kGroup / 2; distance > 0; distance /= 2) v += __shfl_xor(v, distance);
        return v;
    }
    template <class T> static __device__ __forceinline__ T load(const T *at) { return *at; }
    // Bypasses caches that other blocks do not share.
    template <class T> static __device__ __forceinline__ T load_fresh(const T *at) {
        return __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
    static __device__ __forceinline__ void store_fresh(u32 *at, u32 v) {
        __hip_atomic_store(at, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }

    // Correctly rounded with -fhip-fp32-correctly-rounded-divide-sqrt.
    static __device__ __forceinline__ float divide(float a, float b) { return a / b; }
    static __device__ __forceinline__ double divide(double a, double b) { return a / b; }
    static __device__ __forceinline__ float square_root(float v) { return __ocml_sqrt_f32(v); }
    static __device__ __forceinline__ double square_root(double v) { return __ocml_sqrt_f64(v); }
    static __device__ __forceinline__ u32 bits(float v) { return __builtin_bit_cast(u32, v); }
    static __device__ __forceinline__ u64 bits(double v) { return __builtin_bit_cast(u64, v); }
    static __device__ __forceinline__ float float_from(u32 v) { return __builtin_bit_cast(float, v); }
    static __device__ __forceinline__ double f64_from(u64 v) { return __builtin_bit_cast(double, v); }

    static __device__ __forceinline__ double multiply_add(double a, double b, double c) {
        return __builtin_fma(a, b, c);
    }
    static __device__ __forceinline__ double floor_of_product(double a, double b) {
        return __builtin_floor(a * b) + 4503599627370496.0;
    }
    static __device__ __forceinline__ double reciprocal_estimate(double v) { return __builtin_amdgcn_rcp(v); }
    static __device__ __forceinline__ float reciprocal_estimate(float v) { return __builtin_amdgcn_rcpf(v); }
    static __device__ __forceinline__ double from_words(u32 high, u32 low) {
        return f64_from(static_cast<u64>(high) << 32 | low);
    }
    static __device__ __forceinline__ u32 low_word(double v) { return static_cast<u32>(bits(v)); }
    static __device__ __forceinline__ u32 high_word(double v) { return static_cast<u32>(bits(v) >> 32); }

  private:
    static __device__ __forceinline__ u32 larger(u32 a, u32 b) { return a > b ? a : b; }
};

} // namespace kernels
} // namespace vmaf

// As for CUDA: an entry point to look up by name, and the kernel's sizes on this target.
#define VMAF_HIP_KERNEL(name)                                                                                          \
    extern "C" __global__ void __launch_bounds__(vmaf::kernels::name<vmaf::kernels::HipContext>::kThreads)             \
        vmaf_##name(const vmaf::kernels::name<vmaf::kernels::HipContext>::Args args) {                                 \
        using Kernel = vmaf::kernels::name<vmaf::kernels::HipContext>;                                                 \
        extern __shared__ __attribute__((aligned(16))) unsigned char memory[];                                         \
        vmaf::kernels::HipContext context;                                                                             \
        Kernel::run(context, reinterpret_cast<Kernel::SharedMemory *>(memory), args);                                  \
    }                                                                                                                  \
    extern "C" __device__ __attribute__((used)) vmaf::kernels::KernelShape vmaf_##name##_shape =                       \
        vmaf::kernels::shape_of<vmaf::kernels::name<vmaf::kernels::HipContext>, vmaf::kernels::HipContext>();
