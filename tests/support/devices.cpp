#include "support/devices.hpp"

#include "base/error.hpp"
#include "device/backends.hpp"
#include "device/host/host_device.hpp"

namespace vmaf {

namespace {

std::vector<std::pair<std::string, OpenDevice>> &host_run_devices() {
    static std::vector<std::pair<std::string, OpenDevice>> list = {{"host32", [] { return open_host_device(32); }},
                                                                   {"host64", [] { return open_host_device(64); }}};
    return list;
}

} // namespace

bool add_host_run_device(const std::string &name, OpenDevice open) {
    host_run_devices().emplace_back(name, open);
    return true;
}

std::vector<std::string> host_run_device_names() {
    std::vector<std::string> names;
    for (const auto &[name, open] : host_run_devices()) names.push_back(name);
    return names;
}

std::vector<std::string> test_device_names() {
    std::vector<std::string> names = host_run_device_names();
    for (const BuiltBackend &backend : built_backends())
        if (backend.has_kernels) names.emplace_back(backend.name);
    return names;
}

std::shared_ptr<Device> open_test_device(const std::string &name) {
    for (const auto &[own, open] : host_run_devices())
        if (own == name) return open();
    for (const BuiltBackend &backend : built_backends())
        if (backend.name == name) try {
                return backend.open(std::nullopt);
            } catch (const Error &) {
                return nullptr;
            }
    throw invalid("no device '" + name + "' in this build");
}

} // namespace vmaf
