#include "io/libav/nvdec/primary_context.hpp"

#include <string>

#include "base/error.hpp"
#include "device/module_api/advice.hpp"
#include "system/dynamic_library.hpp"
#include "system/gpu_runtimes.hpp"

namespace vmaf::nvdec {

namespace {

constexpr int kOutOfMemory = 2;

const char *library_name() { return system::cuda_runtime().libraries.front(); }

class Driver {
  public:
    // Drivers do not survive unloading.
    static const Driver &loaded() {
        static const Driver *const driver = new Driver;
        return *driver;
    }

    template <class... Arguments> void call(const char *name, Arguments... arguments) const {
        const auto function = reinterpret_cast<int (*)(Arguments...)>(library_.symbol(name));
        if (!function) throw invalid(std::string(library_name()) + " has no function " + name);
        if (const int result = function(arguments...)) {
            std::string text = name; // without the version suffix of the symbol
            if (text.ends_with("_v2")) text.resize(text.size() - 3);
            throw Error(result == kOutOfMemory ? ENOMEM : EINVAL, text + " failed: " + describe(result));
        }
    }
    std::string describe(int result) const {
        const auto name_of = reinterpret_cast<int (*)(int, const char **)>(library_.symbol("cuGetErrorName"));
        const char *name = nullptr;
        const bool has_name = name_of && name_of(result, &name) == 0 && name;
        const std::string number = std::to_string(result);
        return (has_name ? std::string(name) + " (" + number + ")" : number) + module_api::advice_for(result);
    }

  private:
    Driver() : library_(library_name()) {}

    system::DynamicLibrary library_;
};

} // namespace

std::shared_ptr<void> primary_context() {
    const Driver &driver = Driver::loaded();
    int device = 0;
    void *context = nullptr;
    driver.call("cuInit", 0u);
    driver.call("cuDeviceGet", &device, 0);
    driver.call("cuDevicePrimaryCtxRetain", &context, device);
    return {context, [&driver, device](void *) {
                try {
                    driver.call("cuDevicePrimaryCtxRelease_v2", device);
                } catch (const Error &) {
                    // The device is lost.
                }
            }};
}

std::string describe(int result) try {
    return Driver::loaded().describe(result);
} catch (const Error &) { // without the driver only the number is known
    return std::to_string(result) + module_api::advice_for(result);
}

CurrentContext::CurrentContext(void *context) { Driver::loaded().call("cuCtxPushCurrent_v2", context); }

CurrentContext::~CurrentContext() {
    void *ignored = nullptr;
    try {
        Driver::loaded().call("cuCtxPopCurrent_v2", &ignored);
    } catch (const Error &) {
        // The device is lost.
    }
}

} // namespace vmaf::nvdec
