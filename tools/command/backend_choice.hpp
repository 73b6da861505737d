// Which backend runs, and what happens when it cannot (backends.md 4 and 5).
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

// A GPU runtime that has been started.
class StartedBackend {
  public:
    virtual ~StartedBackend() = default;
    // Before features are registered. `is_explicit`: the user named this backend.
    virtual void attach(Session &session, bool is_explicit) = 0;
    virtual bool has_scored(const Session &session) const = 0; // at least one of its scores came from here
    // For pictures that it reads fast; null where it has no such.
    virtual std::shared_ptr<Device> device() const { return nullptr; }
};

// A GPU runtime of this build. `start` and `devices` throw Error where it cannot be used; the code of the former is
// what the descriptor of a refusal states.
struct GpuBackend {
    std::string_view name;
    std::function<std::unique_ptr<StartedBackend>(std::optional<unsigned> device)> start;
    std::function<std::vector<DeviceInfo>()> devices;
    std::function<bool(std::string_view extractor)> has_kernel;
};

// Those built into this binary, in the order of kBackends.
std::span<const GpuBackend> gpu_backends();

struct BackendChoice {
    std::string name = "cpu";
    std::unique_ptr<StartedBackend> backend; // null for cpu

    std::shared_ptr<Device> device() const { return backend ? backend->device() : nullptr; }
    std::string used(const Session &session) const { return backend && !backend->has_scored(session) ? "cpu" : name; }
};

// Built backends that `auto` would try, in its order.
std::vector<const GpuBackend *> candidates(const BackendRequest &request, std::span<const GpuBackend> built);

// Lines for people (a candidate of `auto` that cannot be used, an option without effect) go to `say`. Throws
// Failure(backend) for an explicit wish that cannot be met.
BackendChoice choose_backend(const BackendRequest &request, std::span<const GpuBackend> built,
                             const std::function<void(const std::string &)> &say);

// Features named for one backend ("vif_cuda") need that backend: throws Failure(backend) where another one is active.
void check_pinned_features(const std::vector<FeatureArgument> &features, const BackendRequest &request,
                           std::span<const GpuBackend> built, std::string_view active);

} // namespace vmaf::cli
