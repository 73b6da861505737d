// The launch context of runtimes with CUDA-like languages: indices, barriers, atomics.
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

class LaunchContext : public PortableOperations {
  public:
    int thread, block_x, block_y, frame;

    __device__ __forceinline__ LaunchContext()
        : thread(static_cast<int>(threadIdx.x)), block_x(static_cast<int>(blockIdx.x)),
          block_y(static_cast<int>(blockIdx.y)), frame(static_cast<int>(blockIdx.z)) {}

    static __device__ __forceinline__ void barrier() { __syncthreads(); }
    static __device__ __forceinline__ void fence() { __threadfence(); }
    static __device__ __forceinline__ void atomic_add(u64 *at, u64 v) { atomicAdd(at, v); }
    static __device__ __forceinline__ void atomic_add(u32 *at, u32 v) { atomicAdd(at, v); }
    static __device__ __forceinline__ void atomic_max(u32 *at, u32 v) { atomicMax(at, v); }
    static __device__ __forceinline__ void atomic_min(u32 *at, u32 v) { atomicMin(at, v); }
    static __device__ __forceinline__ u32 atomic_increment(u32 *at) { return atomicAdd(at, 1u); }
    template <class T> static __device__ __forceinline__ void shared_add(T *at, T v) { atomicAdd(at, v); }
    template <class T> static __device__ __forceinline__ void shared_max(T *at, T v) { atomicMax(at, v); }
    template <class T> static __device__ __forceinline__ void shared_min(T *at, T v) { atomicMin(at, v); }
    static __device__ __forceinline__ u32 shared_increment(u32 *at) { return atomicAdd(at, 1u); }
};

} // namespace kernels
} // namespace vmaf
