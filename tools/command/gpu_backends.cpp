// The GPU backends of this build, as the command starts them.
#include "backend_choice.hpp"
#include "device/backends.hpp"
#include "metrics/registry.hpp"

namespace vmaf::cli {

namespace {

class DeviceBackend final : public StartedBackend {
  public:
    explicit DeviceBackend(std::shared_ptr<Device> device) : device_(std::move(device)) {}

    void attach(Session &session, bool is_explicit) override {
        session.use_device({.device = device_, .is_explicit = is_explicit});
    }
    bool has_scored(const Session &session) const override { return session.backend_used() == device_->info().backend; }
    std::shared_ptr<Device> device() const override { return device_; }

  private:
    std::shared_ptr<Device> device_;
};

GpuBackend for_the_command(const BuiltBackend &backend) {
    return {
        backend.name,
        [open = backend.open](std::optional<unsigned> index) { return std::make_unique<DeviceBackend>(open(index)); },
        backend.list,
        [has_kernels = backend.has_kernels](std::string_view extractor) { // all devices share one set of kernels
            const MetricInfo *const metric = find_metric(extractor);
            return has_kernels && metric && metric->on_devices;
        }};
}

} // namespace

std::span<const GpuBackend> gpu_backends() {
    static const std::vector<GpuBackend> list = [] {
        std::vector<GpuBackend> all;
        for (const BuiltBackend &backend : built_backends()) all.push_back(for_the_command(backend));
        return all;
    }();
    return list;
}

} // namespace vmaf::cli
