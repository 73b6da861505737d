// The backends of this build. To add a runtime: a folder here, a block below, a line in meson.build.
#include "config.h"
#include "device/backends.hpp"
#include "device/device.hpp"

#if VMAF_ENABLE_CUDA
#include "device/cuda/cuda_device.hpp"
#endif
#if VMAF_ENABLE_SYCL
#include "device/sycl/sycl_device.hpp"
#endif
#if VMAF_ENABLE_HIP
#include "device/hip/hip_device.hpp"
#endif
#if VMAF_ENABLE_METAL
#include "device/metal/metal_device.hpp"
#endif

namespace vmaf {

namespace {

constexpr bool is_list_of_the_build() {
    std::string_view names = VMAF_GPU_BACKENDS;
    for (const BackendRow &row : kBackends) {
        if (!names.starts_with(row.name)) return false;
        names.remove_prefix(row.name.size() + (names.size() > row.name.size() ? 1 : 0));
    }
    return names.empty();
}
static_assert(is_list_of_the_build(), "meson.build and device/backends.hpp name the same backends in the same order");

const std::vector<BuiltBackend> &built() {
    static const std::vector<BuiltBackend> list = {
#if VMAF_ENABLE_CUDA
        {"cuda", true, [](std::optional<unsigned> index) { return open_cuda_device(nullptr, index.value_or(0)); },
         list_cuda_devices},
#endif
#if VMAF_ENABLE_SYCL
        {"sycl", true, open_sycl_device, list_sycl_devices},
#endif
#if VMAF_ENABLE_HIP
        {"hip", hip_has_code(), open_hip_device, list_hip_devices},
#endif
#if VMAF_ENABLE_METAL
        {"metal", true, open_metal_device, list_metal_devices},
#endif
    };
    return list;
}

} // namespace

std::span<const BuiltBackend> built_backends() { return built(); }

} // namespace vmaf
