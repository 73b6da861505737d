#include "support/devices.hpp"

#include "base/error.hpp"
#include "device/backends.hpp"
#include "device/host/host_device.hpp"

namespace vmaf {

std::vector<std::string> host_run_device_names() { return {"host32", "host64"}; }

std::vector<std::string> test_device_names() {
    std::vector<std::string> names = {"host32", "host64"};
    for (const BuiltBackend &backend : built_backends())
        if (backend.has_kernels) names.emplace_back(backend.name);
    return names;
}

std::shared_ptr<Device> open_test_device(const std::string &name) {
    if (name == "host32") return open_host_device(32);
    if (name == "host64") return open_host_device(64);
    for (const BuiltBackend &backend : built_backends())
        if (backend.name == name) try {
                return backend.open(std::nullopt);
            } catch (const Error &) {
                return nullptr;
            }
    throw invalid("no device '" + name + "' in this build");
}

} // namespace vmaf
