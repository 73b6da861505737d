// The GPU backends, one row each, in the order in which `auto` tries them (backends.md 4.2). All code takes backend
// names, and names derived from them, from here.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vmaf {

class Device;
struct DeviceInfo;

struct BackendRow {
    std::string_view name;              // for --backend, documents, vmaf_hip_state_init
    std::string_view title;             // for users
    std::string_view suffix;            // of features pinned to it
    std::string_view off_flag;          // of `vmaf`
    std::string_view device_flag;       // of `vmaf`; empty: only the runtime's variable selects a device
    std::string_view device_variable;   // the runtime's variable that hides devices; empty: none
    std::string_view dispatch_variable; // dispatch strategy (dispatch.hpp); empty: none
};

inline constexpr auto kBackends = std::to_array<BackendRow>({
    {"cuda", "CUDA", "_cuda", "no_cuda", "", "CUDA_VISIBLE_DEVICES", "VMAF_CUDA_DISPATCH"},
    {"sycl", "SYCL", "_sycl", "no_sycl", "sycl_device", "ONEAPI_DEVICE_SELECTOR", "VMAF_SYCL_DISPATCH"},
    {"hip", "HIP", "_hip", "no_hip", "hip_device", "HIP_VISIBLE_DEVICES", "VMAF_HIP_DISPATCH"},
    {"metal", "Metal", "_metal", "no_metal", "metal_device", "", ""},
});

// The index in kBackends; empty for other words, including `cpu`.
constexpr std::optional<std::size_t> find_backend(std::string_view name) {
    for (std::size_t i = 0; i < kBackends.size(); i++)
        if (kBackends[i].name == name) return i;
    return std::nullopt;
}

// The backend that a feature name is pinned to ("vif_hip"), or null.
constexpr const BackendRow *pinned_backend(std::string_view feature) {
    for (const BackendRow &row : kBackends)
        if (feature.size() > row.suffix.size() && feature.ends_with(row.suffix)) return &row;
    return nullptr;
}

// Joins "auto|cpu|cuda|..." with any separator; `last` replaces the last one ("auto, cpu or cuda").
inline std::string backend_words(std::string_view separator, std::string_view last = {}) {
    std::string text = "auto" + std::string(separator) + "cpu";
    for (const BackendRow &row : kBackends)
        text.append(&row == &kBackends.back() && !last.empty() ? last : separator).append(row.name);
    return text;
}

// A compiled-in backend. `open` and `list` throw Error if it is unavailable: the code is what the C API returns, the
// text says what to check.
struct BuiltBackend {
    std::string_view name;
    bool has_kernels; // false: built without device code
    std::shared_ptr<Device> (*open)(std::optional<unsigned> index);
    std::vector<DeviceInfo> (*list)();
};

// In the order of kBackends (built_backends.cpp).
std::span<const BuiltBackend> built_backends();

} // namespace vmaf
