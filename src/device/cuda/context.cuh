// The context (device/kernel.hpp) of CUDA devices, and entry points for kernels.
#pragma once

#include "device/module_api/launch_context.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

class CudaContext : public LaunchContext {
  public:
    static constexpr int kGroup = 32;
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
    static constexpr bool kFastF64 = true; // half the rate of floats; elsewhere 1/32 or 1/64
#else
    static constexpr bool kFastF64 = false;
#endif
    using f64 = double;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    static constexpr int kSharedBytes = 64 * 1024;
    static constexpr bool kByteMatrix = false;
#else
    static constexpr int kSharedBytes = 99 * 1024; // of sm_86, sm_89 and sm_120; others have more
    static constexpr bool kByteMatrix = true;
#endif

    template <class T> static __device__ __forceinline__ T shuffle(T v, int lane) { // 32 or 64 bits
        return __shfl_sync(0xffffffffu, v, lane);
    }
    static __device__ __forceinline__ u64 ballot(bool flag) { return __ballot_sync(0xffffffffu, flag); }
    static __device__ __forceinline__ u32 group_max(u32 v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        return __reduce_max_sync(0xffffffffu, v);
#else
        for (int distance = 16; distance > 0; distance /= 2) v = max(v, __shfl_xor_sync(0xffffffffu, v, distance));
        return v;
#endif
    }
    static __device__ __forceinline__ u32 group_min(u32 v) { return ~group_max(~v); }
    static __device__ __forceinline__ u32 group_sum(u32 v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        return __reduce_add_sync(0xffffffffu, v);
#else
        for (int distance = 16; distance > 0; distance /= 2) v += __shfl_xor_sync(0xffffffffu, v, distance);
        return v;
#endif
    }
    template <class T> static __device__ __forceinline__ T load(const T *at) { return __ldg(at); }
    static __device__ __forceinline__ Words4 load(const Words4 *at) {
        const uint4 v = __ldg(reinterpret_cast<const uint4 *>(at));
        return {{v.x, v.y, v.z, v.w}};
    }
    static __device__ __forceinline__ Words2 load(const Words2 *at) {
        const uint2 v = __ldg(reinterpret_cast<const uint2 *>(at));
        return {{v.x, v.y}};
    }
    template <class T> static __device__ __forceinline__ T load_fresh(const T *at) { return __ldcg(at); }

    static __device__ __forceinline__ float divide(float a, float b) { return __fdiv_rn(a, b); }
    static __device__ __forceinline__ double divide(double a, double b) { return __ddiv_rn(a, b); }
    static __device__ __forceinline__ float square_root(float v) { return __fsqrt_rn(v); }
    static __device__ __forceinline__ double square_root(double v) { return __dsqrt_rn(v); }
    static __device__ __forceinline__ u32 bits(float v) { return __float_as_uint(v); }
    static __device__ __forceinline__ u64 bits(double v) { return static_cast<u64>(__double_as_longlong(v)); }
    static __device__ __forceinline__ float float_from(u32 v) { return __uint_as_float(v); }
    static __device__ __forceinline__ double f64_from(u64 v) { return __longlong_as_double(static_cast<i64>(v)); }

    static __device__ __forceinline__ Words4 byte_matrix(const Words4 &a, u32 b0, u32 b1, const Words4 &c) {
        Words4 d;
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
                     : "=r"(d.v[0]), "=r"(d.v[1]), "=r"(d.v[2]), "=r"(d.v[3])
                     : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "r"(b0), "r"(b1), "r"(c.v[0]), "r"(c.v[1]),
                       "r"(c.v[2]), "r"(c.v[3]));
        return d;
    }
    static __device__ __forceinline__ void converge() { __syncwarp(); }
    static __device__ __forceinline__ u32 bits_toward_zero(u32 v) { return bits(__uint2float_rz(v)); }
    static __device__ __forceinline__ int leading_zeros(u32 v) { return __clz(static_cast<int>(v)); }
    static __device__ __forceinline__ u32 permute_bytes(u32 a, u32 b, u32 selector) {
        return __byte_perm(a, b, selector);
    }
    template <bool kUpper> static __device__ __forceinline__ int dot2(u32 taps, u32 bytes, int sum) {
        int out;
        if (kUpper)
            asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(taps), "r"(bytes), "r"(sum));
        else
            asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(taps), "r"(bytes), "r"(sum));
        return out;
    }
    static __device__ __forceinline__ double multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }
    static __device__ __forceinline__ double floor_of_product(double a, double b) {
        return __fma_rd(a, b, 4503599627370496.0);
    }
    static __device__ __forceinline__ double reciprocal_estimate(double v) {
        double out;
        asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(out) : "d"(v));
        return out;
    }
    static __device__ __forceinline__ float reciprocal_estimate(float v) {
        float out;
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(out) : "f"(v));
        return out;
    }
    static __device__ __forceinline__ double from_words(u32 high, u32 low) {
        return __hiloint2double(static_cast<int>(high), static_cast<int>(low));
    }
    static __device__ __forceinline__ u32 low_word(double v) { return static_cast<u32>(__double2loint(v)); }
    static __device__ __forceinline__ u32 high_word(double v) { return static_cast<u32>(__double2hiint(v)); }
};

} // namespace kernels
} // namespace vmaf

// A macro for C linkage, so that the entry point can be looked up by name (backends.md 1.1). Also defines the kernel's
// sizes in this context, for the host to read.
#define VMAF_CUDA_KERNEL(name)                                                                                         \
    extern "C" __global__ void __launch_bounds__(vmaf::kernels::name<vmaf::kernels::CudaContext>::kThreads,            \
                                                 vmaf::kernels::name<vmaf::kernels::CudaContext>::kMinBlocks)          \
        vmaf_##name(const __grid_constant__ vmaf::kernels::name<vmaf::kernels::CudaContext>::Args args) {              \
        using Kernel = vmaf::kernels::name<vmaf::kernels::CudaContext>;                                                \
        extern __shared__ __align__(16) unsigned char memory[];                                                        \
        vmaf::kernels::CudaContext context;                                                                            \
        Kernel::run(context, reinterpret_cast<Kernel::SharedMemory *>(memory), args);                                  \
    }                                                                                                                  \
    extern "C" __device__ vmaf::kernels::KernelShape vmaf_##name##_shape =                                             \
        vmaf::kernels::shape_of<vmaf::kernels::name<vmaf::kernels::CudaContext>, vmaf::kernels::CudaContext>();
