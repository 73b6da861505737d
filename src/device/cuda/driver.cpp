#include "device/cuda/driver.hpp"

#include <dlfcn.h>

#include <cstring>
#include <mutex>

#include "base/error.hpp"

namespace vmaf::cuda {

namespace {

constexpr const char *kLibrary = "libcuda.so.1";

Error cannot_load(const std::string &why) {
    return Error(EINVAL,
                 "cuda: the NVIDIA driver library " + std::string(kLibrary) +
                     " is loaded at run time, and that failed:\n"
                     "  " +
                     why +
                     "\n"
                     "  Check whether the loader knows it: ldconfig -p | grep -iE 'libcuda|libnvcuvid'\n"
                     "  Without it CUDA cannot be used; see \"Runtime requirements\" in docs/backends/cuda.md.",
                 why);
}

} // namespace

int errno_for(Result result) {
    switch (result) {
    case kSuccess: return 0;
    case kOutOfMemory: return ENOMEM;
    case 3:
    case 4: return ENODEV;
    case 1:
    case 101:
    case 201:
    case 400: return EINVAL;
    default: return EIO;
    }
}

std::shared_ptr<const Driver> Driver::load() {
    // Once it has started it stays: the driver does not like to be unloaded while it has threads.
    static std::mutex mutex;
    static auto *const kept = new std::shared_ptr<const Driver>;
    const std::lock_guard lock(mutex);
    if (!*kept) *kept = load_now();
    return *kept;
}

std::shared_ptr<const Driver> Driver::load_now() {
    const std::shared_ptr<Driver> driver(new Driver);
    driver->library_ = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (!driver->library_) {
        const char *why = dlerror();
        throw cannot_load(why ? why : "no reason was given");
    }
    const auto find = [&](const char *symbol) {
        void *address = dlsym(driver->library_, symbol);
        if (!address) throw cannot_load("it has no function " + std::string(symbol) + "; the driver is too old");
        return address;
    };
#define VMAF_CUDA_FIND(name, symbol, ...) driver->name = reinterpret_cast<decltype(driver->name)>(find(symbol));
    VMAF_CUDA_DRIVER_FUNCTIONS(VMAF_CUDA_FIND)
#undef VMAF_CUDA_FIND
    if (const Result result = driver->cuInit(0))
        throw Error(EINVAL,
                    "cuda: cuInit(0) returned " + driver->describe(result) +
                        ": either the user-space driver and the kernel module have different versions (reboot, or "
                        "reload the module), or no device is visible to this process (CUDA_VISIBLE_DEVICES, "
                        "permissions)",
                    "cuInit(0) returned " + driver->describe(result));
    return driver;
}

Driver::~Driver() {
    if (library_) dlclose(library_);
}

int Driver::device_count() const {
    int count = 0;
    const Result result = cuDeviceGetCount(&count);
    if (result != kSuccess || count == 0)
        throw invalid("cuda: cuDeviceGetCount returned " + describe(result) + " and " + std::to_string(count) +
                      " devices: no device is visible to this process (CUDA_VISIBLE_DEVICES, permissions)");
    return count;
}

std::string Driver::version() const {
    int version = 0;
    if (cuDriverGetVersion(&version) != kSuccess) return "unknown";
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string Driver::describe(Result result) const {
    const char *name = nullptr;
    if (cuGetErrorName && cuGetErrorName(result, &name) == kSuccess && name)
        return std::string(name) + " (" + std::to_string(result) + ")";
    return std::to_string(result);
}

void Driver::fail(Result result, const char *call, const char *file, int line) const {
    const char *slash = std::strrchr(file, '/');
    throw Error(errno_for(result), "cuda: " + std::string(call) + " failed: " + describe(result) + ", at " +
                                       (slash ? slash + 1 : file) + ":" + std::to_string(line));
}

} // namespace vmaf::cuda
