// A stand-in for libcuda.so.1, for fault injection only: it has the functions that we load, moves memory, runs no
// kernels, keeps count, and fails where it is told to.
//
//   FAKE_CUDA_FAIL=cuInit=100,cuMemAlloc_v2@3=2   functions that return a code, from their first or n-th call on
//   FAKE_CUDA_DEVICES=0                           number of devices (default 1)
//   FAKE_CUDA_LOG=FILE                            every function called, one per line, when the process ends
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

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
        const char *path = std::getenv("FAKE_CUDA_LOG");
        if (!path) return;
        if (FILE *file = std::fopen(path, "w")) {
            for (const auto &[name, count] : calls_) std::fprintf(file, "%s %u\n", name.c_str(), count);
            std::fclose(file);
        }
    }
    int call(const char *name) {
        const std::lock_guard lock(mutex_);
        const unsigned number = ++calls_[name];
        const char *plan = std::getenv("FAKE_CUDA_FAIL");
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

  private:
    std::mutex mutex_;
    std::map<std::string, unsigned> calls_;
};

int called(const char *name) {
    static Recorder recorder;
    return recorder.call(name);
}

char handle; // every handle points here

} // namespace

#define RETURN_IF_FAILED(name)                                                                                         \
    if (const int code = called(name)) return code

extern "C" {

int cuInit(unsigned) {
    const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (visible && !*visible) return 100;
    return called("cuInit");
}
int cuDriverGetVersion(int *version) {
    *version = 13000;
    return called("cuDriverGetVersion");
}
int cuGetErrorName(int code, const char **name) {
    *name = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : code == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_SOMETHING";
    return 0;
}
int cuDeviceGetCount(int *count) {
    const char *text = std::getenv("FAKE_CUDA_DEVICES");
    *count = text ? std::atoi(text) : 1;
    return called("cuDeviceGetCount");
}
int cuDeviceGet(int *device, int index) {
    *device = index;
    return called("cuDeviceGet");
}
int cuDeviceGetName(char *name, int size, int) {
    std::snprintf(name, static_cast<std::size_t>(size), "Fake");
    return called("cuDeviceGetName");
}
int cuDeviceTotalMem_v2(std::size_t *bytes, int) {
    *bytes = std::size_t{1} << 30;
    return called("cuDeviceTotalMem_v2");
}
int cuDeviceGetAttribute(int *value, int which, int) {
    *value = which == 75 ? 9 : which == 76 ? 0 : 4;
    return called("cuDeviceGetAttribute");
}
int cuDevicePrimaryCtxRetain(void **context, int) {
    RETURN_IF_FAILED("cuDevicePrimaryCtxRetain");
    *context = &handle;
    return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return called("cuDevicePrimaryCtxRelease_v2"); }
int cuCtxPushCurrent_v2(void *) { return called("cuCtxPushCurrent_v2"); }
int cuCtxPopCurrent_v2(void **context) {
    *context = &handle;
    return called("cuCtxPopCurrent_v2");
}
int cuCtxGetDevice(int *device) {
    *device = 0;
    return called("cuCtxGetDevice");
}
int cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    *least = 0;
    *greatest = -5;
    return called("cuCtxGetStreamPriorityRange");
}
int cuStreamCreateWithPriority(void **stream, unsigned, int) {
    RETURN_IF_FAILED("cuStreamCreateWithPriority");
    *stream = &handle;
    return 0;
}
int cuStreamDestroy_v2(void *) { return called("cuStreamDestroy_v2"); }
int cuStreamSynchronize(void *) { return called("cuStreamSynchronize"); }
int cuStreamWaitEvent(void *, void *, unsigned) { return called("cuStreamWaitEvent"); }
int cuEventCreate(void **event, unsigned) {
    RETURN_IF_FAILED("cuEventCreate");
    *event = &handle;
    return 0;
}
int cuEventDestroy_v2(void *) { return called("cuEventDestroy_v2"); }
int cuEventRecord(void *, void *) { return called("cuEventRecord"); }
int cuEventSynchronize(void *) { return called("cuEventSynchronize"); }
int cuEventQuery(void *) { return called("cuEventQuery"); }
int cuEventElapsedTime(float *out, void *, void *) {
    *out = 0;
    return called("cuEventElapsedTime");
}
int cuMemAlloc_v2(std::uintptr_t *at, std::size_t bytes) {
    RETURN_IF_FAILED("cuMemAlloc_v2");
    *at = reinterpret_cast<std::uintptr_t>(std::calloc(1, bytes));
    return *at ? 0 : 2;
}
int cuMemFree_v2(std::uintptr_t at) {
    std::free(reinterpret_cast<void *>(at));
    return called("cuMemFree_v2");
}
int cuMemHostAlloc(void **at, std::size_t bytes, unsigned) {
    RETURN_IF_FAILED("cuMemHostAlloc");
    *at = std::calloc(1, bytes);
    return *at ? 0 : 2;
}
int cuMemFreeHost(void *at) {
    std::free(at);
    return called("cuMemFreeHost");
}
int cuMemcpyHtoDAsync_v2(std::uintptr_t to, const void *from, std::size_t bytes, void *) {
    RETURN_IF_FAILED("cuMemcpyHtoDAsync_v2");
    std::memcpy(reinterpret_cast<void *>(to), from, bytes);
    return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, std::uintptr_t from, std::size_t bytes, void *) {
    RETURN_IF_FAILED("cuMemcpyDtoHAsync_v2");
    std::memcpy(to, reinterpret_cast<void *>(from), bytes);
    return 0;
}
int cuMemcpyDtoDAsync_v2(std::uintptr_t to, std::uintptr_t from, std::size_t bytes, void *) {
    RETURN_IF_FAILED("cuMemcpyDtoDAsync_v2");
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
    return 0;
}
int cuMemcpy2DAsync_v2(const Copy2D *c, void *) {
    RETURN_IF_FAILED("cuMemcpy2DAsync_v2");
    const char *from =
        c->src_type == 1 ? static_cast<const char *>(c->src_host) : reinterpret_cast<const char *>(c->src_device);
    char *to = c->dst_type == 1 ? static_cast<char *>(c->dst_host) : reinterpret_cast<char *>(c->dst_device);
    for (std::size_t y = 0; y < c->height; y++)
        std::memcpy(to + y * c->dst_pitch, from + y * c->src_pitch, c->width_bytes);
    return 0;
}
int cuMemsetD32Async(std::uintptr_t at, unsigned value, std::size_t count, void *) {
    RETURN_IF_FAILED("cuMemsetD32Async");
    for (std::size_t i = 0; i < count; i++) reinterpret_cast<unsigned *>(at)[i] = value;
    return 0;
}
int cuModuleLoadData(void **module, const void *) {
    RETURN_IF_FAILED("cuModuleLoadData");
    *module = &handle;
    return 0;
}
int cuModuleUnload(void *) { return called("cuModuleUnload"); }
int cuModuleGetFunction(void **function, void *, const char *) {
    RETURN_IF_FAILED("cuModuleGetFunction");
    *function = &handle;
    return 0;
}
// The sizes of a kernel, in the form of KernelShape in device/kernel.hpp; arguments of 0 bytes are not checked.
int cuModuleGetGlobal_v2(std::uintptr_t *at, std::size_t *bytes, void *, const char *) {
    RETURN_IF_FAILED("cuModuleGetGlobal_v2");
    static const unsigned shape[] = {128, 1024, 0, 32, 64, 8};
    *at = reinterpret_cast<std::uintptr_t>(shape);
    *bytes = sizeof shape;
    return 0;
}
int cuMemcpyDtoH_v2(void *to, std::uintptr_t from, std::size_t bytes) {
    RETURN_IF_FAILED("cuMemcpyDtoH_v2");
    std::memcpy(to, reinterpret_cast<void *>(from), bytes);
    return 0;
}
int cuFuncGetAttribute(int *value, int, void *) {
    RETURN_IF_FAILED("cuFuncGetAttribute");
    *value = 1024;
    return 0;
}
int cuFuncSetAttribute(void *, int, int) { return called("cuFuncSetAttribute"); }
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                   void **) {
    return called("cuLaunchKernel");
}
}
