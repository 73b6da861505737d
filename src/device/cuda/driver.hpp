// The part of the CUDA driver API that we use, loaded at run time (backends.md 3.1). Types and prototypes are declared
// here, so that building needs no CUDA headers and the library no link against the driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace vmaf::cuda {

using Result = int;
using DeviceHandle = int;
using DevicePointer = std::uintptr_t;
using ContextHandle = struct CUctx_st *;
using ModuleHandle = struct CUmod_st *;
using FunctionHandle = struct CUfunc_st *;
using StreamHandle = struct CUstream_st *;
using EventHandle = struct CUevent_st *;

inline constexpr Result kSuccess = 0, kOutOfMemory = 2, kNotReady = 600;
inline constexpr unsigned kStreamNonBlocking = 1, kEventBlockingSync = 1, kEventDisableTiming = 2;
inline constexpr unsigned kHostAllocPortable = 1;
inline constexpr int kMultiprocessorCount = 16, kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76;
inline constexpr int kMaxThreadsPerBlock = 0, kMaxDynamicSharedBytes = 8; // function attributes
inline constexpr unsigned kMemoryHost = 1, kMemoryDevice = 2;

struct Copy2D {
    std::size_t src_x = 0, src_y = 0;
    unsigned src_type = 0;
    const void *src_host = nullptr;
    DevicePointer src_device = 0;
    void *src_array = nullptr;
    std::size_t src_pitch = 0;
    std::size_t dst_x = 0, dst_y = 0;
    unsigned dst_type = 0;
    void *dst_host = nullptr;
    DevicePointer dst_device = 0;
    void *dst_array = nullptr;
    std::size_t dst_pitch = 0;
    std::size_t width_bytes = 0, height = 0;
};

// Entry points of the driver, by their exported names.
#define VMAF_CUDA_DRIVER_FUNCTIONS(F)                                                                                  \
    F(cuInit, "cuInit", unsigned)                                                                                      \
    F(cuDriverGetVersion, "cuDriverGetVersion", int *)                                                                 \
    F(cuGetErrorName, "cuGetErrorName", Result, const char **)                                                         \
    F(cuDeviceGetCount, "cuDeviceGetCount", int *)                                                                     \
    F(cuDeviceGet, "cuDeviceGet", DeviceHandle *, int)                                                                 \
    F(cuDeviceGetName, "cuDeviceGetName", char *, int, DeviceHandle)                                                   \
    F(cuDeviceTotalMem, "cuDeviceTotalMem_v2", std::size_t *, DeviceHandle)                                            \
    F(cuDeviceGetAttribute, "cuDeviceGetAttribute", int *, int, DeviceHandle)                                          \
    F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", ContextHandle *, DeviceHandle)                             \
    F(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", DeviceHandle)                                         \
    F(cuCtxPushCurrent, "cuCtxPushCurrent_v2", ContextHandle)                                                          \
    F(cuCtxPopCurrent, "cuCtxPopCurrent_v2", ContextHandle *)                                                          \
    F(cuCtxGetDevice, "cuCtxGetDevice", DeviceHandle *)                                                                \
    F(cuCtxGetStreamPriorityRange, "cuCtxGetStreamPriorityRange", int *, int *)                                        \
    F(cuStreamCreateWithPriority, "cuStreamCreateWithPriority", StreamHandle *, unsigned, int)                         \
    F(cuStreamDestroy, "cuStreamDestroy_v2", StreamHandle)                                                             \
    F(cuStreamSynchronize, "cuStreamSynchronize", StreamHandle)                                                        \
    F(cuStreamWaitEvent, "cuStreamWaitEvent", StreamHandle, EventHandle, unsigned)                                     \
    F(cuEventCreate, "cuEventCreate", EventHandle *, unsigned)                                                         \
    F(cuEventDestroy, "cuEventDestroy_v2", EventHandle)                                                                \
    F(cuEventRecord, "cuEventRecord", EventHandle, StreamHandle)                                                       \
    F(cuEventSynchronize, "cuEventSynchronize", EventHandle)                                                           \
    F(cuEventQuery, "cuEventQuery", EventHandle)                                                                       \
    F(cuEventElapsedTime, "cuEventElapsedTime", float *, EventHandle, EventHandle)                                     \
    F(cuMemAlloc, "cuMemAlloc_v2", DevicePointer *, std::size_t)                                                       \
    F(cuMemFree, "cuMemFree_v2", DevicePointer)                                                                        \
    F(cuMemHostAlloc, "cuMemHostAlloc", void **, std::size_t, unsigned)                                                \
    F(cuMemFreeHost, "cuMemFreeHost", void *)                                                                          \
    F(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", DevicePointer, const void *, std::size_t, StreamHandle)               \
    F(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", void *, DevicePointer, std::size_t, StreamHandle)                     \
    F(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", DevicePointer, DevicePointer, std::size_t, StreamHandle)              \
    F(cuMemcpy2DAsync, "cuMemcpy2DAsync_v2", const Copy2D *, StreamHandle)                                             \
    F(cuMemsetD32Async, "cuMemsetD32Async", DevicePointer, unsigned, std::size_t, StreamHandle)                        \
    F(cuModuleLoadData, "cuModuleLoadData", ModuleHandle *, const void *)                                              \
    F(cuModuleUnload, "cuModuleUnload", ModuleHandle)                                                                  \
    F(cuModuleGetFunction, "cuModuleGetFunction", FunctionHandle *, ModuleHandle, const char *)                        \
    F(cuModuleGetGlobal, "cuModuleGetGlobal_v2", DevicePointer *, std::size_t *, ModuleHandle, const char *)           \
    F(cuMemcpyDtoH, "cuMemcpyDtoH_v2", void *, DevicePointer, std::size_t)                                             \
    F(cuFuncGetAttribute, "cuFuncGetAttribute", int *, int, FunctionHandle)                                            \
    F(cuFuncSetAttribute, "cuFuncSetAttribute", FunctionHandle, int, int)                                              \
    F(cuLaunchKernel, "cuLaunchKernel", FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,    \
      unsigned, StreamHandle, void **, void **)

class Driver {
  public:
    // Opens the library and initialises it; throws Error(EINVAL) with the messages of backends.md 3.1.
    static std::shared_ptr<const Driver> load();
    ~Driver();
    Driver(const Driver &) = delete;
    Driver &operator=(const Driver &) = delete;

    int device_count() const;    // at least 1, or throws Error(EINVAL)
    std::string version() const; // "13.0"

    // Throws Error unless `result` is 0: the call, the driver's name for the code, its number, where it happened.
    void check(Result result, const char *call, const char *file = __builtin_FILE(),
               int line = __builtin_LINE()) const {
        if (result != kSuccess) fail(result, call, file, line);
    }
    std::string describe(Result result) const; // "CUDA_ERROR_NO_DEVICE (100)"

#define VMAF_CUDA_MEMBER(name, symbol, ...) Result (*name)(__VA_ARGS__) = nullptr;
    VMAF_CUDA_DRIVER_FUNCTIONS(VMAF_CUDA_MEMBER)
#undef VMAF_CUDA_MEMBER

  private:
    Driver() = default;
    static std::shared_ptr<const Driver> load_now();
    [[noreturn]] void fail(Result result, const char *call, const char *file, int line) const;

    void *library_ = nullptr;
};

// What a driver code becomes at the C boundary: a positive errno value (backends.md 3.1).
int errno_for(Result result);

} // namespace vmaf::cuda
