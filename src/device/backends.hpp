// The GPU backends: one row for each, in the order in which `auto` tries them (backends.md 4.2). Code that needs the
// name of a backend, or a name made from it, takes it from here.
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
    std::string_view name;              // of --backend, documents, vmaf_hip_state_init
    std::string_view title;             // for people
    std::string_view suffix;            // of features that are pinned to it
    std::string_view off_flag;          // of `vmaf`
    std::string_view device_flag;       // of `vmaf`; empty: only the runtime's own variable chooses
    std::string_view device_variable;   // with which the runtime hides devices; empty: it has none
    std::string_view dispatch_variable; // how work is put on the device (dispatch.hpp); empty: no choice
};

inline constexpr auto kBackends = std::to_array<BackendRow>({
    {"cuda", "CUDA", "_cuda", "no_cuda", "", "CUDA_VISIBLE_DEVICES", "VMAF_CUDA_DISPATCH"},
    {"sycl", "SYCL", "_sycl", "no_sycl", "sycl_device", "ONEAPI_DEVICE_SELECTOR", "VMAF_SYCL_DISPATCH"},
    {"hip", "HIP", "_hip", "no_hip", "hip_device", "HIP_VISIBLE_DEVICES", "VMAF_HIP_DISPATCH"},
    {"metal", "Metal", "_metal", "no_metal", "metal_device", "", ""},
});

// The place in kBackends; nothing for other words, `cpu` too.
constexpr std::optional<std::size_t> find_backend(std::string_view name) {
    for (std::size_t i = 0; i < kBackends.size(); i++)
        if (kBackends[i].name == name) return i;
    return std::nullopt;
}

// The backend that a feature's name is pinned to ("vif_hip"); null: none.
constexpr const BackendRow *pinned_backend(std::string_view feature) {
    for (const BackendRow &row : kBackends)
        if (feature.size() > row.suffix.size() && feature.ends_with(row.suffix)) return &row;
    return nullptr;
}

// "auto|cpu|cuda|..." with any separator; the last one may have another ("auto, cpu or cuda").
inline std::string backend_words(std::string_view separator, std::string_view last = {}) {
    std::string text = "auto" + std::string(separator) + "cpu";
    for (const BackendRow &row : kBackends)
        text.append(&row == &kBackends.back() && !last.empty() ? last : separator).append(row.name);
    return text;
}

// A backend that is compiled in, and how it is reached. `open` and `list` throw Error where it cannot be used: the code
// is what the C API returns and a refusal states, the sentence says what to check.
struct BuiltBackend {
    std::string_view name;
    bool has_kernels; // false: built without device code
    std::shared_ptr<Device> (*open)(std::optional<unsigned> index);
    std::vector<DeviceInfo> (*list)();
};

// In the order of kBackends (built_backends.cpp).
std::span<const BuiltBackend> built_backends();

} // namespace vmaf
