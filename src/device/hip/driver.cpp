#include "device/hip/driver.hpp"

#include <array>
#include <cctype>
#include <cstring>

#include "base/error.hpp"
#include "system/gpu_runtimes.hpp"

namespace vmaf::hip {

namespace {

// After every name was tried.
Error cannot_load(const std::string &reasons, const std::string &brief) {
    return Error(ENODEV,
                 "hip: AMD's HIP runtime is loaded at run time, and that failed:\n" + reasons + "  " +
                     std::string(system::hip_runtime().how_to_check) +
                     "\n"
                     "  Without it HIP cannot be used; see \"Runtime requirements\" in docs/backends/hip.md.",
                 brief);
}

Error no_device(const std::string &why) {
    return Error(ENODEV,
                 "hip: " + why +
                     ": no device is visible to this process. Check that the amdgpu kernel module is loaded, that you "
                     "may open /dev/kfd and /dev/dri/renderD* (groups render and video), and HIP_VISIBLE_DEVICES and "
                     "ROCR_VISIBLE_DEVICES",
                 why);
}

} // namespace

std::shared_ptr<const HipDriver> HipDriver::load() { return module_api::load_once<HipDriver, load_now>(); }

HipDriver::HipDriver(std::unique_ptr<system::DynamicLibrary> library) : Driver("hip", std::move(library)) {
    const auto missing = [](const std::string &symbol) {
        const std::string why = "libamdhip64 has no function " + symbol + "; the runtime is too old";
        return cannot_load("  " + why + "\n", why);
    };
    find_functions(Names::hip, missing);
    find(set_device, "hipSetDevice", missing);
    find(get_device, "hipGetDevice", missing);
    find(get_version_, "hipRuntimeGetVersion", missing);
    find(copy_2d_, "hipMemcpy2DAsync", missing);
    get_error_name_ = reinterpret_cast<const char *(*)(Result)>(address("hipGetErrorName", missing));
    // Since version 6 the struct has another layout and its own name.
    constexpr const char *kNewProperties = "hipGetDevicePropertiesR0600";
    find(get_properties_, address_or_null(kNewProperties) ? kNewProperties : "hipGetDeviceProperties", missing);
}

std::shared_ptr<const HipDriver> HipDriver::load_now() {
    std::unique_ptr<system::DynamicLibrary> library;
    std::string reasons, brief;
    for (const char *name : system::hip_runtime().libraries) {
        try {
            library = std::make_unique<system::DynamicLibrary>(name);
            break;
        } catch (const Error &e) {
            reasons += "  " + std::string(e.what()) + "\n";
            brief = e.what();
        }
    }
    if (!library) throw cannot_load(reasons, brief);
    const std::shared_ptr<const HipDriver> driver(new HipDriver(std::move(library)));
    if (const Result result = driver->initialise(0)) throw no_device("hipInit(0) returned " + driver->describe(result));
    return driver;
}

unsigned HipDriver::devices() const {
    int count = 0;
    const Result result = device_count(&count);
    if (result != module_api::kSuccess || count <= 0)
        throw no_device("hipGetDeviceCount returned " + describe(result) + " and " + std::to_string(count) +
                        " devices");
    return static_cast<unsigned>(count);
}

// The position of the arch name in the properties differs between releases, so search for its pattern. The device's
// display name is first in all of them.
std::string HipDriver::arch_of(DeviceNumber device) const {
    constexpr std::size_t kName = 256, kMoreThanAnyRelease = 16384;
    const auto properties = std::make_unique<std::array<char, kMoreThanAnyRelease>>();
    properties->fill(0);
    check(get_properties_(properties->data(), device), get_properties_);
    for (std::size_t i = kName; i + 32 < properties->size(); i++) {
        const char *const at = properties->data() + i;
        if (std::memcmp(at, "gfx", 3) != 0 || !std::isdigit(static_cast<unsigned char>(at[3]))) continue;
        std::size_t length = 3; // strips features such as :sramecc+:xnack-
        while (std::isalnum(static_cast<unsigned char>(at[length])) && length < 16) length++;
        return {at, length};
    }
    return "unknown";
}

const char *HipDriver::error_name(Result result) const { return get_error_name_(result); }

std::string HipDriver::version() const {
    int version = 0;
    if (get_version_(&version) != module_api::kSuccess) return "unknown";
    return std::to_string(version / 10000000) + "." + std::to_string(version / 100000 % 100);
}

void HipDriver::copy(const module_api::Rectangle &r, module_api::StreamHandle stream) const {
    using module_api::Direction;
    const int kind = r.direction == Direction::up ? 1 : r.direction == Direction::down ? 2 : 3; // hipMemcpyKind
    check(copy_2d_(r.to, r.to_pitch, r.from, r.from_pitch, r.row_bytes, r.rows, kind, stream), copy_2d_);
}

void HipDriver::allow_shared_memory(module_api::FunctionHandle, unsigned bytes) const {
    DeviceNumber device = 0;
    check(get_device(&device), get_device);
    const int there = attribute(kSharedMemoryPerBlock, device);
    if (bytes > static_cast<unsigned>(there))
        throw Error(ENOTSUP, "a kernel needs " + std::to_string(bytes) + " bytes of local memory; the device has " +
                                 std::to_string(there));
}

} // namespace vmaf::hip
