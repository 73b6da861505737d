#include "support/devices.hpp"

#include "base/error.hpp"
#include "config.h"
#include "device/host/host_device.hpp"

#if VMAF_ENABLE_CUDA
#include "device/cuda/cuda_device.hpp"
#endif

namespace vmaf {

std::vector<std::string> test_device_names() {
    return {
        "host32", "host64",
#if VMAF_ENABLE_CUDA
            "cuda",
#endif
    };
}

std::shared_ptr<Device> open_test_device(const std::string &name) {
    if (name == "host32") return open_host_device(32);
    if (name == "host64") return open_host_device(64);
#if VMAF_ENABLE_CUDA
    if (name == "cuda") {
        try {
            return open_cuda_device();
        } catch (const Error &) {
            return nullptr;
        }
    }
#endif
    throw invalid("no device '" + name + "' in this build");
}

} // namespace vmaf
