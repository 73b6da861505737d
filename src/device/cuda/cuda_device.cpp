#include "device/cuda/cuda_device.hpp"

#include "base/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/module_api/module_device.hpp"

namespace vmaf {

namespace {

using namespace cuda;

constexpr unsigned kGroupWidth = 32;

DeviceInfo describe_cuda(const CudaDriver &d, DeviceNumber device, unsigned index) {
    return {.backend = "cuda",
            .index = index,
            .name = d.describe_device(device),
            .arch = "sm_" + std::to_string(d.attribute(kComputeCapabilityMajor, device)) +
                    std::to_string(d.attribute(kComputeCapabilityMinor, device)),
            .driver = d.version(),
            .memory_bytes = d.memory_of(device),
            .multiprocessors = static_cast<unsigned>(d.attribute(kMultiprocessorCount, device)),
            .group_width = kGroupWidth};
}

// A device's primary context, shared with others in the process; or a caller's context, which the caller keeps.
class Context final : public module_api::Place {
  public:
    Context(std::shared_ptr<const CudaDriver> loaded, ContextHandle callers, unsigned index)
        : driver_(std::move(loaded)) {
        if (callers) {
            handle_ = callers;
            const module_api::Entered here(*this);
            driver_->check(driver_->context_device(&device_), driver_->context_device);
        } else {
            const int count = driver_->devices();
            if (index >= static_cast<unsigned>(count))
                throw Error(ENODEV, "cuda: there is no device " + std::to_string(index) + "; the driver shows " +
                                        std::to_string(count) + ", counted from 0 (CUDA_VISIBLE_DEVICES)");
            driver_->check(driver_->device_get(&device_, static_cast<int>(index)), driver_->device_get);
            driver_->check(driver_->context_retain(&handle_, device_), driver_->context_retain);
            retained_ = true;
        }
    }
    ~Context() override {
        if (retained_) driver_->context_release(device_);
    }
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    const module_api::Driver &driver() const override { return *driver_; }
    const module_api::Images &images() const override { return cuda::images(); }
    DeviceInfo describe() const override { return describe_cuda(*driver_, device_, static_cast<unsigned>(device_)); }
    bool is_callers() const override { return !retained_; }
    void *native_context() const override { return handle_; }
    void enter() const override { driver_->check(driver_->context_push(handle_), driver_->context_push); }
    void leave() const noexcept override {
        ContextHandle ignored = nullptr;
        driver_->context_pop(&ignored);
    }

  private:
    std::shared_ptr<const CudaDriver> driver_;
    ContextHandle handle_ = nullptr;
    DeviceNumber device_ = 0;
    bool retained_ = false;
};

} // namespace

std::shared_ptr<Device> open_cuda_device(void *context, unsigned index) {
    return module_api::make_device(
        std::make_shared<Context>(CudaDriver::load(), static_cast<ContextHandle>(context), index));
}

std::vector<DeviceInfo> list_cuda_devices() {
    const auto driver = CudaDriver::load();
    const int count = driver->devices();
    std::vector<DeviceInfo> devices;
    for (int i = 0; i < count; i++) {
        DeviceNumber device = 0;
        driver->check(driver->device_get(&device, i), driver->device_get);
        devices.push_back(describe_cuda(*driver, device, static_cast<unsigned>(i)));
    }
    return devices;
}

} // namespace vmaf
