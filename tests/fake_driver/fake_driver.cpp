// A fake libcuda.so.1 or, with FAKE_HIP, libamdhip64.so.6, for fault injection: has the functions that we load, moves
// memory, runs no kernels, counts calls, and fails on request.
//
//   FAKE_CUDA_FAIL=cuInit=100,cuMemAlloc_v2@3=2   functions that return a code, from their first or n-th call on
//   FAKE_CUDA_DEVICES=0                           number of devices (default 1)
//   FAKE_CUDA_MEMORY=50000000                     bytes of memory; more cannot be allocated (default: 1 GiB are
//   reported, all can be had) FAKE_CUDA_LOG=FILE                            every function called, one per line, and,
//   when the process ends,
//                                                 bytes copied to the device (bytes_up), to the host (bytes_down)
//   FAKE_HIP_LOCAL_MEMORY=512                     bytes per block (default 65536)
//   FAKE_HIP_ARCH=gfx90a                          the devices' architecture (default gfx1030, groups of 32; gfx9: of
// 64)
//
// FAKE_HIP_... for HIP.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#ifdef FAKE_HIP
#define NAME(cuda, hip) hip
#define VARIABLE(what) "FAKE_HIP_" what
#define VISIBLE_DEVICES "HIP_VISIBLE_DEVICES"
#else
#define NAME(cuda, hip) cuda
#define VARIABLE(what) "FAKE_CUDA_" what
#define VISIBLE_DEVICES "CUDA_VISIBLE_DEVICES"
#endif
#define TEXT(name) #name
#define CALLED(name) called(TEXT(name))

namespace {

struct Copy2D {
    std::size_t src_x, src_y;
    unsigned src_type;
    const void *src_host;
    std::uintptr_t src_device;
    void *src_array;
    std::size_t src_pitch;
    std::size_t dst_x, dst_y;
    unsigned dst_type;
    void *dst_host;
    std::uintptr_t dst_device;
    void *dst_array;
    std::size_t dst_pitch;
    std::size_t width_bytes, height;
};

class Recorder {
  public:
    ~Recorder() {
        const char *path = std::getenv(VARIABLE("LOG"));
        if (!path) return;
        if (FILE *file = std::fopen(path, "w")) {
            for (const auto &[name, count] : calls_) std::fprintf(file, "%s %u\n", name.c_str(), count);
            std::fprintf(file, "bytes_up %zu\nbytes_down %zu\n", bytes_up_.load(), bytes_down_.load());
            std::fclose(file);
        }
    }
    int call(const char *name) {
        const std::lock_guard lock(mutex_);
        const unsigned number = ++calls_[name];
        const char *plan = std::getenv(VARIABLE("FAIL"));
        if (!plan) return 0;
        const std::string text = std::string(",") + plan + ",";
        for (std::size_t at = 0; (at = text.find(std::string(",") + name, at)) != std::string::npos; at++) {
            const char *rest = text.c_str() + at + 1 + std::strlen(name);
            unsigned from = 1;
            if (*rest == '@') from = static_cast<unsigned>(std::strtoul(rest + 1, const_cast<char **>(&rest), 10));
            if (*rest == '=' && number >= from) return std::atoi(rest + 1);
        }
        return 0;
    }

    void copied(std::size_t bytes, bool is_up) { (is_up ? bytes_up_ : bytes_down_) += bytes; }

  private:
    std::mutex mutex_;
    std::map<std::string, unsigned> calls_;
    std::atomic<std::size_t> bytes_up_ = 0, bytes_down_ = 0;
};

Recorder &recorder() {
    static Recorder kept;
    return kept;
}
int called(const char *name) { return recorder().call(name); }

// Of all devices together.
class Memory {
  public:
    std::size_t all() const { return bytes_; }
    std::size_t left() {
        const std::lock_guard lock(mutex_);
        return bytes_ - std::min(used_, bytes_);
    }
    std::uintptr_t allocate(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        if (is_limited_ && bytes > bytes_ - used_) return 0;
        const auto at = reinterpret_cast<std::uintptr_t>(std::calloc(1, bytes));
        if (at) used_ += blocks_[at] = bytes;
        return at;
    }
    void free(std::uintptr_t at) {
        const std::lock_guard lock(mutex_);
        if (const auto block = blocks_.find(at); block != blocks_.end()) {
            used_ -= block->second;
            blocks_.erase(block);
        }
        std::free(reinterpret_cast<void *>(at));
    }

  private:
    const char *const wish_ = std::getenv(VARIABLE("MEMORY"));
    const bool is_limited_ = wish_;
    const std::size_t bytes_ = wish_ ? std::strtoull(wish_, nullptr, 10) : std::size_t{1} << 30;
    std::mutex mutex_;
    std::size_t used_ = 0;
    std::map<std::uintptr_t, std::size_t> blocks_;
};

Memory &memory() {
    static auto *const kept = new Memory; // freed after the program's own objects
    return *kept;
}

char handle; // every handle points here
[[maybe_unused]] thread_local int current = 0;

const char *arch() {
    const char *text = std::getenv("FAKE_HIP_ARCH");
    return text ? text : "gfx1030";
}
int group_width() { return std::strncmp(arch(), "gfx9", 4) == 0 ? 64 : 32; }

void copy_rows(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t bytes,
               std::size_t rows) {
    for (std::size_t y = 0; y < rows; y++)
        std::memcpy(static_cast<char *>(to) + y * to_pitch, static_cast<const char *>(from) + y * from_pitch, bytes);
}

} // namespace

#define RETURN_IF_FAILED(name)                                                                                         \
    if (const int code = CALLED(name)) return code

extern "C" {

int NAME(cuInit, hipInit)(unsigned) {
    const char *visible = std::getenv(VISIBLE_DEVICES);
    if (visible && !*visible) return 100;
    return CALLED(NAME(cuInit, hipInit));
}
int NAME(cuDeviceGetCount, hipGetDeviceCount)(int *count) {
    const char *text = std::getenv(VARIABLE("DEVICES"));
    *count = text ? std::atoi(text) : 1;
    return CALLED(NAME(cuDeviceGetCount, hipGetDeviceCount));
}
int NAME(cuDeviceGet, hipDeviceGet)(int *device, int index) {
    *device = index;
    return CALLED(NAME(cuDeviceGet, hipDeviceGet));
}
int NAME(cuDeviceGetName, hipDeviceGetName)(char *name, int size, int) {
    std::snprintf(name, static_cast<std::size_t>(size), "Fake");
    return CALLED(NAME(cuDeviceGetName, hipDeviceGetName));
}
int NAME(cuDeviceTotalMem_v2, hipDeviceTotalMem)(std::size_t *bytes, int) {
    *bytes = memory().all();
    return CALLED(NAME(cuDeviceTotalMem_v2, hipDeviceTotalMem));
}
int NAME(cuDeviceGetAttribute, hipDeviceGetAttribute)(int *value, int which, int) {
#ifdef FAKE_HIP
    const char *local = std::getenv(VARIABLE("LOCAL_MEMORY"));
    *value = which == 87 ? group_width() : which == 74 ? (local ? std::atoi(local) : 65536) : 4;
#else
    *value = which == 75 ? 9 : which == 76 ? 0 : 4;
#endif
    return CALLED(NAME(cuDeviceGetAttribute, hipDeviceGetAttribute));
}
int NAME(cuCtxGetStreamPriorityRange, hipDeviceGetStreamPriorityRange)(int *least, int *greatest) {
    *least = 0;
    *greatest = -5;
    return CALLED(NAME(cuCtxGetStreamPriorityRange, hipDeviceGetStreamPriorityRange));
}
int NAME(cuStreamCreateWithPriority, hipStreamCreateWithPriority)(void **stream, unsigned, int) {
    RETURN_IF_FAILED(NAME(cuStreamCreateWithPriority, hipStreamCreateWithPriority));
    *stream = &handle;
    return 0;
}
int NAME(cuStreamDestroy_v2, hipStreamDestroy)(void *) { return CALLED(NAME(cuStreamDestroy_v2, hipStreamDestroy)); }
int NAME(cuStreamSynchronize, hipStreamSynchronize)(void *) {
    return CALLED(NAME(cuStreamSynchronize, hipStreamSynchronize));
}
int NAME(cuStreamWaitEvent, hipStreamWaitEvent)(void *, void *, unsigned) {
    return CALLED(NAME(cuStreamWaitEvent, hipStreamWaitEvent));
}
int NAME(cuEventCreate, hipEventCreateWithFlags)(void **event, unsigned) {
    RETURN_IF_FAILED(NAME(cuEventCreate, hipEventCreateWithFlags));
    *event = &handle;
    return 0;
}
int NAME(cuEventDestroy_v2, hipEventDestroy)(void *) { return CALLED(NAME(cuEventDestroy_v2, hipEventDestroy)); }
int NAME(cuEventRecord, hipEventRecord)(void *, void *) { return CALLED(NAME(cuEventRecord, hipEventRecord)); }
int NAME(cuEventSynchronize, hipEventSynchronize)(void *) {
    return CALLED(NAME(cuEventSynchronize, hipEventSynchronize));
}
int NAME(cuEventQuery, hipEventQuery)(void *) { return CALLED(NAME(cuEventQuery, hipEventQuery)); }
int NAME(cuEventElapsedTime, hipEventElapsedTime)(float *out, void *, void *) {
    *out = 0;
    return CALLED(NAME(cuEventElapsedTime, hipEventElapsedTime));
}
int NAME(cuMemAlloc_v2, hipMalloc)(std::uintptr_t *at, std::size_t bytes) {
    RETURN_IF_FAILED(NAME(cuMemAlloc_v2, hipMalloc));
    *at = memory().allocate(bytes);
    return *at ? 0 : 2;
}
int NAME(cuMemGetInfo_v2, hipMemGetInfo)(std::size_t *left, std::size_t *all) {
    *left = memory().left();
    *all = memory().all();
    return CALLED(NAME(cuMemGetInfo_v2, hipMemGetInfo));
}
int NAME(cuMemFree_v2, hipFree)(std::uintptr_t at) {
    memory().free(at);
    return CALLED(NAME(cuMemFree_v2, hipFree));
}
int NAME(cuMemHostAlloc, hipHostMalloc)(void **at, std::size_t bytes, unsigned) {
    RETURN_IF_FAILED(NAME(cuMemHostAlloc, hipHostMalloc));
    *at = std::calloc(1, bytes);
    return *at ? 0 : 2;
}
int NAME(cuMemFreeHost, hipHostFree)(void *at) {
    std::free(at);
    return CALLED(NAME(cuMemFreeHost, hipHostFree));
}
int NAME(cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync)(std::uintptr_t to, const void *from, std::size_t bytes, void *) {
    RETURN_IF_FAILED(NAME(cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync));
    std::memcpy(reinterpret_cast<void *>(to), from, bytes);
    recorder().copied(bytes, true);
    return 0;
}
int NAME(cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync)(void *to, std::uintptr_t from, std::size_t bytes, void *) {
    RETURN_IF_FAILED(NAME(cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync));
    recorder().copied(bytes, false);
    std::memcpy(to, reinterpret_cast<void *>(from), bytes);
    return 0;
}
int NAME(cuMemcpyDtoDAsync_v2, hipMemcpyDtoDAsync)(std::uintptr_t to, std::uintptr_t from, std::size_t bytes, void *) {
    RETURN_IF_FAILED(NAME(cuMemcpyDtoDAsync_v2, hipMemcpyDtoDAsync));
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
    return 0;
}
int NAME(cuMemsetD32Async, hipMemsetD32Async)(std::uintptr_t at, unsigned value, std::size_t count, void *) {
    RETURN_IF_FAILED(NAME(cuMemsetD32Async, hipMemsetD32Async));
    for (std::size_t i = 0; i < count; i++) reinterpret_cast<unsigned *>(at)[i] = value;
    return 0;
}
int NAME(cuModuleLoadData, hipModuleLoadData)(void **module, const void *) {
    RETURN_IF_FAILED(NAME(cuModuleLoadData, hipModuleLoadData));
    *module = &handle;
    return 0;
}
int NAME(cuModuleUnload, hipModuleUnload)(void *) { return CALLED(NAME(cuModuleUnload, hipModuleUnload)); }
int NAME(cuModuleGetFunction, hipModuleGetFunction)(void **function, void *, const char *) {
    RETURN_IF_FAILED(NAME(cuModuleGetFunction, hipModuleGetFunction));
    *function = &handle;
    return 0;
}
// The sizes of a kernel, as KernelShape in device/kernel.hpp; arguments of 0 bytes are not checked.
int NAME(cuModuleGetGlobal_v2, hipModuleGetGlobal)(std::uintptr_t *at, std::size_t *bytes, void *, const char *) {
    RETURN_IF_FAILED(NAME(cuModuleGetGlobal_v2, hipModuleGetGlobal));
    static const unsigned shape[] = {128, 1024, 0, static_cast<unsigned>(group_width()), 64, 8};
    *at = reinterpret_cast<std::uintptr_t>(shape);
    *bytes = sizeof shape;
    return 0;
}
int NAME(cuMemcpyDtoH_v2, hipMemcpyDtoH)(void *to, std::uintptr_t from, std::size_t bytes) {
    RETURN_IF_FAILED(NAME(cuMemcpyDtoH_v2, hipMemcpyDtoH));
    std::memcpy(to, reinterpret_cast<void *>(from), bytes);
    return 0;
}
int NAME(cuFuncGetAttribute, hipFuncGetAttribute)(int *value, int, void *) {
    RETURN_IF_FAILED(NAME(cuFuncGetAttribute, hipFuncGetAttribute));
    *value = 1024;
    return 0;
}
int NAME(cuLaunchKernel, hipModuleLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                                unsigned, void *, void **, void **) {
    return CALLED(NAME(cuLaunchKernel, hipModuleLaunchKernel));
}

#ifdef FAKE_HIP
int hipRuntimeGetVersion(int *version) {
    *version = 60342134;
    return CALLED(hipRuntimeGetVersion);
}
const char *hipGetErrorName(int code) {
    return code == 2 ? "hipErrorOutOfMemory" : code == 100 ? "hipErrorNoDevice" : "hipErrorSomething";
}
int hipSetDevice(int device) {
    RETURN_IF_FAILED(hipSetDevice);
    current = device;
    return 0;
}
int hipGetDevice(int *device) {
    *device = current;
    return CALLED(hipGetDevice);
}
// The struct only needs a name that is not at its start.
int hipGetDevicePropertiesR0600(void *properties, int) {
    std::strcpy(static_cast<char *>(properties) + 1160, (std::string(arch()) + ":sramecc+:xnack-").c_str());
    return CALLED(hipGetDevicePropertiesR0600);
}
int hipMemcpy2DAsync(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width,
                     std::size_t height, int direction, void *) {
    RETURN_IF_FAILED(hipMemcpy2DAsync);
    copy_rows(to, to_pitch, from, from_pitch, width, height);
    if (direction == 1 || direction == 2)
        recorder().copied(width * height, direction == 1); // to the device, to the host
    return 0;
}
#else
int cuDriverGetVersion(int *version) {
    *version = 13000;
    return CALLED(cuDriverGetVersion);
}
int cuGetErrorName(int code, const char **name) {
    *name = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : code == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_SOMETHING";
    return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
    RETURN_IF_FAILED(cuDevicePrimaryCtxRetain);
    static char contexts[64];
    *context = &contexts[device];
    return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return CALLED(cuDevicePrimaryCtxRelease_v2); }
int cuCtxPushCurrent_v2(void *) { return CALLED(cuCtxPushCurrent_v2); }
int cuCtxPopCurrent_v2(void **context) {
    *context = &handle;
    return CALLED(cuCtxPopCurrent_v2);
}
int cuCtxGetDevice(int *device) {
    *device = 0;
    return CALLED(cuCtxGetDevice);
}
int cuMemcpy2DAsync_v2(const Copy2D *c, void *) {
    RETURN_IF_FAILED(cuMemcpy2DAsync_v2);
    const char *from =
        c->src_type == 1 ? static_cast<const char *>(c->src_host) : reinterpret_cast<const char *>(c->src_device);
    char *to = c->dst_type == 1 ? static_cast<char *>(c->dst_host) : reinterpret_cast<char *>(c->dst_device);
    copy_rows(to, c->dst_pitch, from, c->src_pitch, c->width_bytes, c->height);
    if (c->src_type != c->dst_type) recorder().copied(c->width_bytes * c->height, c->src_type == 1);
    return 0;
}
int cuFuncSetAttribute(void *, int, int) { return CALLED(cuFuncSetAttribute); }
#endif
}
