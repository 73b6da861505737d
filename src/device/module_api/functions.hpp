// The functions we use of GPU drivers with loadable modules: CUDA's driver API and HIP's module API differ only in
// names. Loaded at run time; types are declared here, so building needs no vendor headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vmaf::module_api {

using Result = int;
using DeviceNumber = int;
using DevicePointer = std::uintptr_t;
using ModuleHandle = struct OpaqueModule *;
using FunctionHandle = struct OpaqueFunction *;
using StreamHandle = struct OpaqueStream *;
using EventHandle = struct OpaqueEvent *;

// The numbers are the same in both.
inline constexpr Result kSuccess = 0, kOutOfMemory = 2, kNotReady = 600;
inline constexpr unsigned kStreamNonBlocking = 1, kEventBlockingSync = 1, kEventDisableTiming = 2;
inline constexpr unsigned kHostAllocPortable = 1;
inline constexpr int kMaxThreadsPerBlock = 0; // function attribute

// F(our name, CUDA's symbol, HIP's symbol, parameters...)
#define VMAF_MODULE_API_FUNCTIONS(F)                                                                                   \
    F(initialise, "cuInit", "hipInit", unsigned)                                                                       \
    F(device_count, "cuDeviceGetCount", "hipGetDeviceCount", int *)                                                    \
    F(device_get, "cuDeviceGet", "hipDeviceGet", DeviceNumber *, int)                                                  \
    F(device_name, "cuDeviceGetName", "hipDeviceGetName", char *, int, DeviceNumber)                                   \
    F(device_memory, "cuDeviceTotalMem_v2", "hipDeviceTotalMem", std::size_t *, DeviceNumber)                          \
    F(device_attribute, "cuDeviceGetAttribute", "hipDeviceGetAttribute", int *, int, DeviceNumber)                     \
    F(priority_range, "cuCtxGetStreamPriorityRange", "hipDeviceGetStreamPriorityRange", int *, int *)                  \
    F(stream_create, "cuStreamCreateWithPriority", "hipStreamCreateWithPriority", StreamHandle *, unsigned, int)       \
    F(stream_destroy, "cuStreamDestroy_v2", "hipStreamDestroy", StreamHandle)                                          \
    F(stream_synchronize, "cuStreamSynchronize", "hipStreamSynchronize", StreamHandle)                                 \
    F(stream_wait, "cuStreamWaitEvent", "hipStreamWaitEvent", StreamHandle, EventHandle, unsigned)                     \
    F(event_create, "cuEventCreate", "hipEventCreateWithFlags", EventHandle *, unsigned)                               \
    F(event_destroy, "cuEventDestroy_v2", "hipEventDestroy", EventHandle)                                              \
    F(event_record, "cuEventRecord", "hipEventRecord", EventHandle, StreamHandle)                                      \
    F(event_synchronize, "cuEventSynchronize", "hipEventSynchronize", EventHandle)                                     \
    F(event_query, "cuEventQuery", "hipEventQuery", EventHandle)                                                       \
    F(event_elapsed, "cuEventElapsedTime", "hipEventElapsedTime", float *, EventHandle, EventHandle)                   \
    F(allocate, "cuMemAlloc_v2", "hipMalloc", DevicePointer *, std::size_t)                                            \
    F(free, "cuMemFree_v2", "hipFree", DevicePointer)                                                                  \
    F(memory_info, "cuMemGetInfo_v2", "hipMemGetInfo", std::size_t *, std::size_t *)                                   \
    F(host_allocate, "cuMemHostAlloc", "hipHostMalloc", void **, std::size_t, unsigned)                                \
    F(host_free, "cuMemFreeHost", "hipHostFree", void *)                                                               \
    F(copy_up, "cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync", DevicePointer, const void *, std::size_t, StreamHandle)   \
    F(copy_down, "cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync", void *, DevicePointer, std::size_t, StreamHandle)       \
    F(copy_across, "cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync", DevicePointer, DevicePointer, std::size_t,            \
      StreamHandle)                                                                                                    \
    F(copy_down_now, "cuMemcpyDtoH_v2", "hipMemcpyDtoH", void *, DevicePointer, std::size_t)                           \
    F(set_words, "cuMemsetD32Async", "hipMemsetD32Async", DevicePointer, unsigned, std::size_t, StreamHandle)          \
    F(module_load, "cuModuleLoadData", "hipModuleLoadData", ModuleHandle *, const void *)                              \
    F(module_unload, "cuModuleUnload", "hipModuleUnload", ModuleHandle)                                                \
    F(module_function, "cuModuleGetFunction", "hipModuleGetFunction", FunctionHandle *, ModuleHandle, const char *)    \
    F(module_global, "cuModuleGetGlobal_v2", "hipModuleGetGlobal", DevicePointer *, std::size_t *, ModuleHandle,       \
      const char *)                                                                                                    \
    F(function_attribute, "cuFuncGetAttribute", "hipFuncGetAttribute", int *, int, FunctionHandle)                     \
    F(launch, "cuLaunchKernel", "hipModuleLaunchKernel", FunctionHandle, unsigned, unsigned, unsigned, unsigned,       \
      unsigned, unsigned, unsigned, StreamHandle, void **, void **)

// One of these functions.
template <class... Parameters> struct Function {
    Result (*at)(Parameters...) = nullptr;
    const char *name = ""; // as in the driver's documentation
    Result operator()(Parameters... arguments) const { return at(arguments...); }
};

} // namespace vmaf::module_api
