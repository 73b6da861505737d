// Implements the functions of libamdhip64.so.6 that we load with NVIDIA's driver: with kernels compiled by nvcc instead
// of AMD's code objects, the HIP backend runs without an AMD device. Its devices claim to be gfx1030, which has groups
// of 32 lanes too. For tests (bench/device_check.sh, step hip); not installed.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <mutex>

namespace {

using Pointer = std::uintptr_t;

void *address(const char *name) {
    static void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : nullptr;
}

// A function of the driver; without a driver there is no device.
template <class... Parameters> class Cuda {
  public:
    explicit Cuda(const char *name) : at_(reinterpret_cast<int (*)(Parameters...)>(address(name))) {}
    int operator()(Parameters... parameters) const { return at_ ? at_(parameters...) : 100; }

  private:
    int (*at_)(Parameters...);
};
#define CUDA(name, ...) static const Cuda<__VA_ARGS__> name(#name)

struct Copy2D {
    std::size_t src_x, src_y;
    unsigned src_type;
    const void *src_host;
    Pointer src_device;
    void *src_array;
    std::size_t src_pitch;
    std::size_t dst_x, dst_y;
    unsigned dst_type;
    void *dst_host;
    Pointer dst_device;
    void *dst_array;
    std::size_t dst_pitch;
    std::size_t width_bytes, height;
};

constexpr int kMaxDevices = 64;
thread_local int current = 0;

// Every HIP thread starts with a device; CUDA's driver needs a context.
int make_current(int device) {
    CUDA(cuDevicePrimaryCtxRetain, void **, int);
    CUDA(cuCtxSetCurrent, void *);
    static std::mutex mutex;
    static void *contexts[kMaxDevices];
    if (device < 0 || device >= kMaxDevices) return 101;
    const std::lock_guard lock(mutex);
    if (!contexts[device])
        if (const int code = cuDevicePrimaryCtxRetain(&contexts[device], device)) return code;
    if (const int code = cuCtxSetCurrent(contexts[device])) return code;
    current = device;
    return 0;
}

} // namespace

extern "C" {

int hipInit(unsigned flags) {
    CUDA(cuInit, unsigned);
    return cuInit(flags);
}
int hipRuntimeGetVersion(int *version) {
    *version = 60000000;
    return 0;
}
const char *hipGetErrorName(int code) {
    CUDA(cuGetErrorName, int, const char **);
    const char *name = nullptr;
    return cuGetErrorName(code, &name) == 0 ? name : nullptr;
}
int hipGetDeviceCount(int *count) {
    CUDA(cuDeviceGetCount, int *);
    return cuDeviceGetCount(count);
}
int hipDeviceGet(int *device, int index) {
    CUDA(cuDeviceGet, int *, int);
    return cuDeviceGet(device, index);
}
int hipDeviceGetName(char *name, int size, int device) {
    CUDA(cuDeviceGetName, char *, int, int);
    return cuDeviceGetName(name, size, device);
}
int hipDeviceTotalMem(std::size_t *bytes, int device) {
    CUDA(cuDeviceTotalMem_v2, std::size_t *, int);
    return cuDeviceTotalMem_v2(bytes, device);
}
int hipDeviceGetAttribute(int *value, int which, int device) {
    CUDA(cuDeviceGetAttribute, int *, int, int);
    constexpr int kHipMultiprocessors = 63, kHipLocalMemory = 74, kHipWarpSize = 87;
    constexpr int kCudaMultiprocessors = 16, kCudaWarpSize = 10, kCudaLocalMemory = 97;
    if (which == kHipMultiprocessors) return cuDeviceGetAttribute(value, kCudaMultiprocessors, device);
    if (which == kHipWarpSize) return cuDeviceGetAttribute(value, kCudaWarpSize, device);
    if (which == kHipLocalMemory) return cuDeviceGetAttribute(value, kCudaLocalMemory, device);
    return 1;
}
int hipGetDevicePropertiesR0600(void *properties, int) {
    std::strcpy(static_cast<char *>(properties) + 1160, "gfx1030");
    return 0;
}
int hipSetDevice(int device) { return make_current(device); }
int hipGetDevice(int *device) {
    *device = current;
    return make_current(current);
}
int hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
    CUDA(cuCtxGetStreamPriorityRange, int *, int *);
    return cuCtxGetStreamPriorityRange(least, greatest);
}
int hipStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
    CUDA(cuStreamCreateWithPriority, void **, unsigned, int);
    return cuStreamCreateWithPriority(stream, flags, priority);
}
int hipStreamDestroy(void *stream) {
    CUDA(cuStreamDestroy_v2, void *);
    return cuStreamDestroy_v2(stream);
}
int hipStreamSynchronize(void *stream) {
    CUDA(cuStreamSynchronize, void *);
    return cuStreamSynchronize(stream);
}
int hipStreamWaitEvent(void *stream, void *event, unsigned flags) {
    CUDA(cuStreamWaitEvent, void *, void *, unsigned);
    return cuStreamWaitEvent(stream, event, flags);
}
int hipEventCreateWithFlags(void **event, unsigned flags) {
    CUDA(cuEventCreate, void **, unsigned);
    return cuEventCreate(event, flags);
}
int hipEventDestroy(void *event) {
    CUDA(cuEventDestroy_v2, void *);
    return cuEventDestroy_v2(event);
}
int hipEventRecord(void *event, void *stream) {
    CUDA(cuEventRecord, void *, void *);
    return cuEventRecord(event, stream);
}
int hipEventSynchronize(void *event) {
    CUDA(cuEventSynchronize, void *);
    return cuEventSynchronize(event);
}
int hipEventQuery(void *event) {
    CUDA(cuEventQuery, void *);
    return cuEventQuery(event);
}
int hipEventElapsedTime(float *out, void *start, void *stop) {
    CUDA(cuEventElapsedTime, float *, void *, void *);
    return cuEventElapsedTime(out, start, stop);
}
int hipMalloc(Pointer *at, std::size_t bytes) {
    CUDA(cuMemAlloc_v2, Pointer *, std::size_t);
    return cuMemAlloc_v2(at, bytes);
}
int hipFree(Pointer at) {
    CUDA(cuMemFree_v2, Pointer);
    return cuMemFree_v2(at);
}
int hipMemGetInfo(std::size_t *left, std::size_t *all) {
    CUDA(cuMemGetInfo_v2, std::size_t *, std::size_t *);
    return cuMemGetInfo_v2(left, all);
}
int hipHostMalloc(void **at, std::size_t bytes, unsigned flags) {
    CUDA(cuMemHostAlloc, void **, std::size_t, unsigned);
    return cuMemHostAlloc(at, bytes, flags);
}
int hipHostFree(void *at) {
    CUDA(cuMemFreeHost, void *);
    return cuMemFreeHost(at);
}
int hipMemcpyHtoDAsync(Pointer to, const void *from, std::size_t bytes, void *stream) {
    CUDA(cuMemcpyHtoDAsync_v2, Pointer, const void *, std::size_t, void *);
    return cuMemcpyHtoDAsync_v2(to, from, bytes, stream);
}
int hipMemcpyDtoHAsync(void *to, Pointer from, std::size_t bytes, void *stream) {
    CUDA(cuMemcpyDtoHAsync_v2, void *, Pointer, std::size_t, void *);
    return cuMemcpyDtoHAsync_v2(to, from, bytes, stream);
}
int hipMemcpyDtoDAsync(Pointer to, Pointer from, std::size_t bytes, void *stream) {
    CUDA(cuMemcpyDtoDAsync_v2, Pointer, Pointer, std::size_t, void *);
    return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}
int hipMemcpyDtoH(void *to, Pointer from, std::size_t bytes) {
    CUDA(cuMemcpyDtoH_v2, void *, Pointer, std::size_t);
    return cuMemcpyDtoH_v2(to, from, bytes);
}
int hipMemcpy2DAsync(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width,
                     std::size_t height, int kind, void *stream) {
    CUDA(cuMemcpy2DAsync_v2, const Copy2D *, void *);
    constexpr int kUp = 1, kDown = 2;
    constexpr unsigned kHost = 1, kDevice = 2;
    Copy2D copy{};
    copy.src_type = kind == kUp ? kHost : kDevice;
    copy.dst_type = kind == kDown ? kHost : kDevice;
    copy.src_host = from;
    copy.src_device = reinterpret_cast<Pointer>(from);
    copy.dst_host = to;
    copy.dst_device = reinterpret_cast<Pointer>(to);
    copy.src_pitch = from_pitch;
    copy.dst_pitch = to_pitch;
    copy.width_bytes = width;
    copy.height = height;
    return cuMemcpy2DAsync_v2(&copy, stream);
}
int hipMemsetD32Async(Pointer at, int value, std::size_t count, void *stream) {
    CUDA(cuMemsetD32Async, Pointer, unsigned, std::size_t, void *);
    return cuMemsetD32Async(at, static_cast<unsigned>(value), count, stream);
}
int hipModuleLoadData(void **module, const void *image) {
    CUDA(cuModuleLoadData, void **, const void *);
    return cuModuleLoadData(module, image);
}
int hipModuleUnload(void *module) {
    CUDA(cuModuleUnload, void *);
    return cuModuleUnload(module);
}
int hipModuleGetFunction(void **function, void *module, const char *name) {
    CUDA(cuModuleGetFunction, void **, void *, const char *);
    CUDA(cuFuncSetAttribute, void *, int, int);
    const int code = cuModuleGetFunction(function, module, name);
    // AMD's devices let every kernel use all local memory by default.
    CUDA(cuDeviceGetAttribute, int *, int, int);
    constexpr int kMaxDynamicSharedBytes = 8, kCudaLocalMemory = 97;
    int all = 0;
    if (const int failure = code ? code : cuDeviceGetAttribute(&all, kCudaLocalMemory, current)) return failure;
    return cuFuncSetAttribute(*function, kMaxDynamicSharedBytes, all);
}
int hipModuleGetGlobal(Pointer *at, std::size_t *bytes, void *module, const char *name) {
    CUDA(cuModuleGetGlobal_v2, Pointer *, std::size_t *, void *, const char *);
    return cuModuleGetGlobal_v2(at, bytes, module, name);
}
int hipFuncGetAttribute(int *value, int which, void *function) {
    CUDA(cuFuncGetAttribute, int *, int, void *);
    return cuFuncGetAttribute(value, which, function);
}
int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **parameters,
                          void **extra) {
    CUDA(cuLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
         void **);
    return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters,
                          extra);
}
}
