#include "device/module_api/driver.hpp"

#include <cstring>

#include "base/error.hpp"
#include "device/module_api/advice.hpp"

namespace vmaf::module_api {

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

void *Driver::address(const char *symbol, const Missing &missing) const {
    void *const found = library_->symbol(symbol);
    if (!found) throw missing(symbol);
    return found;
}

void Driver::find_functions(Names names, const Missing &missing) {
#define VMAF_MODULE_API_FIND(name, of_cuda, of_hip, ...)                                                               \
    find(this->name, names == Names::cuda ? of_cuda : of_hip, missing);
    VMAF_MODULE_API_FUNCTIONS(VMAF_MODULE_API_FIND)
#undef VMAF_MODULE_API_FIND
}

std::string Driver::describe(Result result) const {
    const char *const name = error_name(result);
    return name ? std::string(name) + " (" + std::to_string(result) + ")" : std::to_string(result);
}

std::string Driver::describe_device(DeviceNumber device) const {
    char name[256] = {};
    check(device_name(name, sizeof name - 1, device), device_name);
    return name;
}

std::size_t Driver::memory_of(DeviceNumber device) const {
    std::size_t bytes = 0;
    check(device_memory(&bytes, device), device_memory);
    return bytes;
}

int Driver::attribute(int which, DeviceNumber device) const {
    int value = 0;
    check(device_attribute(&value, which, device), device_attribute);
    return value;
}

void Driver::fail(Result result, const char *call, const char *file, int line) const {
    std::string name = call; // without the version suffix of the symbol
    if (name.ends_with("_v2")) name.resize(name.size() - 3);
    const char *slash = std::strrchr(file, '/');
    throw Error(errno_for(result), title_ + ": " + name + " failed: " + describe(result) + ", at " +
                                       (slash ? slash + 1 : file) + ":" + std::to_string(line) + advice_for(result));
}

} // namespace vmaf::module_api
