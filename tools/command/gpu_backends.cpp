// The GPU backends of this build, as the command starts them.
#include "backend_choice.hpp"
#include "config.h"
#include "device/device.hpp"
#include "metrics/registry.hpp"

#if VMAF_ENABLE_CUDA
#include "device/cuda/cuda_device.hpp"
#endif

namespace vmaf::cli {

namespace {

class DeviceBackend final : public StartedBackend {
  public:
    explicit DeviceBackend(std::shared_ptr<Device> device) : device_(std::move(device)) {}

    void attach(Session &session, bool is_explicit) override {
        session.use_device({.device = device_, .is_explicit = is_explicit});
    }
    bool has_scored(const Session &session) const override {
        return session.backend_used() == device_->info().backend;
    }
    std::shared_ptr<Device> device() const override { return device_; }

  private:
    std::shared_ptr<Device> device_;
};

// Kernels are written once for all devices.
[[maybe_unused]] bool has_device_code(std::string_view extractor) {
    const MetricInfo *const metric = find_metric(extractor);
    return metric && metric->on_devices;
}

const std::vector<GpuBackend> &backends() {
    static const std::vector<GpuBackend> list = {
#if VMAF_ENABLE_CUDA
        // Devices are chosen with CUDA_VISIBLE_DEVICES; there is no index (backends.md 4.1).
        {"cuda", [](std::optional<unsigned>) { return std::make_unique<DeviceBackend>(open_cuda_device()); },
         list_cuda_devices, has_device_code},
#endif
    };
    return list;
}

} // namespace

std::span<const GpuBackend> built_backends() { return backends(); }

} // namespace vmaf::cli
