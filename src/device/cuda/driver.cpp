#include "device/cuda/driver.hpp"

#include "base/error.hpp"
#include "system/gpu_runtimes.hpp"

namespace vmaf::cuda {

namespace {

constexpr int kMaxDynamicSharedBytes = 8; // function attribute
constexpr unsigned kMemoryHost = 1, kMemoryDevice = 2;

Error cannot_load(const std::string &why) {
    const system::GpuRuntime runtime = system::cuda_runtime();
    return Error(EINVAL,
                 "cuda: the NVIDIA driver library " + std::string(runtime.libraries.front()) +
                     " is loaded at run time, and that failed:\n  " + why + "\n  " + std::string(runtime.how_to_check) +
                     "\n"
                     "  Without it CUDA cannot be used; see \"Runtime requirements\" in docs/backends/cuda.md.",
                 why);
}

} // namespace

// A struct of the driver.
struct CudaDriver::Copy2D {
    std::size_t src_x = 0, src_y = 0;
    unsigned src_type = 0;
    const void *src_host = nullptr;
    module_api::DevicePointer src_device = 0;
    void *src_array = nullptr;
    std::size_t src_pitch = 0;
    std::size_t dst_x = 0, dst_y = 0;
    unsigned dst_type = 0;
    void *dst_host = nullptr;
    module_api::DevicePointer dst_device = 0;
    void *dst_array = nullptr;
    std::size_t dst_pitch = 0;
    std::size_t width_bytes = 0, height = 0;
};

std::shared_ptr<const CudaDriver> CudaDriver::load() { return module_api::load_once<CudaDriver, load_now>(); }

CudaDriver::CudaDriver(std::unique_ptr<system::DynamicLibrary> library) : Driver("cuda", std::move(library)) {
    const auto missing = [](const std::string &symbol) {
        return cannot_load("it has no function " + symbol + "; the driver is too old");
    };
    find_functions(Names::cuda, missing);
    find(context_retain, "cuDevicePrimaryCtxRetain", missing);
    find(context_release, "cuDevicePrimaryCtxRelease_v2", missing);
    find(context_push, "cuCtxPushCurrent_v2", missing);
    find(context_pop, "cuCtxPopCurrent_v2", missing);
    find(context_device, "cuCtxGetDevice", missing);
    find(get_error_name_, "cuGetErrorName", missing);
    find(get_version_, "cuDriverGetVersion", missing);
    find(copy_2d_, "cuMemcpy2DAsync_v2", missing);
    find(set_function_attribute_, "cuFuncSetAttribute", missing);
}

std::shared_ptr<const CudaDriver> CudaDriver::load_now() {
    std::unique_ptr<system::DynamicLibrary> library;
    try {
        library = std::make_unique<system::DynamicLibrary>(system::cuda_runtime().libraries.front());
    } catch (const Error &e) {
        throw cannot_load(e.what());
    }
    const std::shared_ptr<const CudaDriver> driver(new CudaDriver(std::move(library)));
    if (const Result result = driver->initialise(0))
        throw Error(EINVAL,
                    "cuda: cuInit(0) returned " + driver->describe(result) +
                        ": either the user-space driver and the kernel module have different versions (reboot, or "
                        "reload the module), or no device is visible to this process (CUDA_VISIBLE_DEVICES, "
                        "permissions)",
                    "cuInit(0) returned " + driver->describe(result));
    return driver;
}

int CudaDriver::devices() const {
    int count = 0;
    const Result result = device_count(&count);
    if (result != module_api::kSuccess || count == 0)
        throw invalid("cuda: cuDeviceGetCount returned " + describe(result) + " and " + std::to_string(count) +
                      " devices: no device is visible to this process (CUDA_VISIBLE_DEVICES, permissions)");
    return count;
}

std::string CudaDriver::version() const {
    int version = 0;
    if (get_version_(&version) != module_api::kSuccess) return "unknown";
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

const char *CudaDriver::error_name(Result result) const {
    const char *name = nullptr;
    return get_error_name_(result, &name) == module_api::kSuccess ? name : nullptr;
}

void CudaDriver::copy(const module_api::Rectangle &r, module_api::StreamHandle stream) const {
    using module_api::Direction;
    Copy2D copy;
    copy.src_type = r.direction == Direction::up ? kMemoryHost : kMemoryDevice;
    copy.dst_type = r.direction == Direction::down ? kMemoryHost : kMemoryDevice;
    copy.src_host = r.from;
    copy.src_device = reinterpret_cast<module_api::DevicePointer>(r.from);
    copy.dst_host = r.to;
    copy.dst_device = reinterpret_cast<module_api::DevicePointer>(r.to);
    copy.src_pitch = r.from_pitch;
    copy.dst_pitch = r.to_pitch;
    copy.width_bytes = r.row_bytes;
    copy.height = r.rows;
    check(copy_2d_(&copy, stream), copy_2d_);
}

void CudaDriver::allow_shared_memory(module_api::FunctionHandle function, unsigned bytes) const {
    check(set_function_attribute_(function, kMaxDynamicSharedBytes, static_cast<int>(bytes)), set_function_attribute_);
}

} // namespace vmaf::cuda
