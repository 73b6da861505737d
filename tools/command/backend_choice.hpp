// Chooses the backend, and decides what happens if it is unavailable (backends.md 4 and 5).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "options.hpp"
#include "session/session.hpp"

namespace vmaf::cli {

// A GPU backend of this build. `start` and `devices` throw Error if it is unavailable; the descriptor of a refusal
// reports the code from `start`.
struct GpuBackend {
    std::string_view name;
    std::function<std::shared_ptr<Device>(std::optional<unsigned> index)> start;
    std::function<std::vector<DeviceInfo>()> devices;
    bool has_kernels; // for metrics that run on devices
};

// The backends built into this binary, in the order of kBackends.
std::span<const GpuBackend> gpu_backends();

struct BackendChoice {
    std::string name = "cpu";
    std::shared_ptr<Device> device; // null for the CPU

    // What scored: not the device if it computed no score.
    std::string used(const Session &session) const {
        return device && session.backend_used() != device->info().backend ? "cpu" : name;
    }
};

// The built backends that `auto` tries, in order.
std::vector<const GpuBackend *> candidates(const BackendRequest &request, std::span<const GpuBackend> built);

// Passes messages for users to `say` (unavailable candidates of `auto`, options without effect). Throws
// Failure(backend) if an explicit request cannot be met.
BackendChoice choose_backend(const BackendRequest &request, std::span<const GpuBackend> built,
                             const std::function<void(const std::string &)> &say);

// Features pinned to a backend ("vif_cuda") need it: throws Failure(backend) if another one is active.
void check_pinned_features(const std::vector<FeatureArgument> &features, const BackendRequest &request,
                           std::span<const GpuBackend> built, std::string_view active);

} // namespace vmaf::cli
