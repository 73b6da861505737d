#include "device/hip/hip_device.hpp"

#include "base/error.hpp"
#include "device/hip/driver.hpp"
#include "device/hip/targets.hpp"
#include "device/module_api/module_device.hpp"

namespace vmaf {

namespace {

using namespace hip;

DeviceInfo describe_hip(const HipDriver &d, DeviceNumber device) {
    return {.backend = "hip",
            .index = static_cast<unsigned>(device),
            .name = d.describe_device(device),
            .arch = d.arch_of(device),
            .driver = d.version(),
            .memory_bytes = d.memory_of(device),
            .multiprocessors = static_cast<unsigned>(d.attribute(kMultiprocessorCount, device)),
            .group_width = static_cast<unsigned>(d.attribute(kWarpSize, device))};
}

// Each thread has one current device. Nested scopes restore the previous one.
class CurrentDevice {
  public:
    void enter(const HipDriver &d, DeviceNumber device) {
        DeviceNumber before = 0;
        d.check(d.get_device(&before), d.get_device);
        before_.push_back(before);
        if (before == device) return;
        if (const Result result = d.set_device(device)) {
            before_.pop_back();
            d.check(result, d.set_device);
        }
    }
    void leave(const HipDriver &d, DeviceNumber device) noexcept {
        const DeviceNumber before = before_.back();
        before_.pop_back();
        if (before != device) d.set_device(before);
    }

  private:
    std::vector<DeviceNumber> before_;
};
thread_local CurrentDevice current_device;

class HipPlace final : public module_api::Place {
  public:
    HipPlace(std::shared_ptr<const HipDriver> driver, DeviceNumber device)
        : driver_(std::move(driver)), device_(device) {}
    const module_api::Driver &driver() const override { return *driver_; }
    const module_api::Images &images() const override { return hip::images(); }
    DeviceInfo describe() const override { return describe_hip(*driver_, device_); }
    void enter() const override { current_device.enter(*driver_, device_); }
    void leave() const noexcept override { current_device.leave(*driver_, device_); }

  private:
    std::shared_ptr<const HipDriver> driver_;
    DeviceNumber device_;
};

// Throws if this build has no code for the device.
void check_code(const DeviceInfo &device) {
    const std::string which = "hip: device " + std::to_string(device.index) + " (" + device.name + ") is ";
    if (kTargets.empty())
        throw Error(ENOSYS,
                    which + "there, but this library was built without device code for HIP; build it with "
                            "-Denable_hip=true -Denable_hipcc=true",
                    "built without device code (-Denable_hipcc=true)");
    const std::string targets = " " + std::string(kTargets) + " ";
    if (targets.find(" " + device.arch + " ") == std::string::npos)
        throw Error(ENODEV,
                    which + device.arch + "; this library has code for " + std::string(kTargets) +
                        ". Choose another device with --hip_device, or build with -Dhip_gfx_targets=" + device.arch,
                    "no code for " + device.arch);
}

DeviceNumber number_of(const HipDriver &driver, unsigned index) {
    DeviceNumber number = 0;
    driver.check(driver.device_get(&number, static_cast<int>(index)), driver.device_get);
    return number;
}

} // namespace

bool hip_has_code() { return !kTargets.empty(); }

std::shared_ptr<Device> open_hip_device(std::optional<unsigned> index) {
    const auto driver = HipDriver::load();
    const unsigned count = driver->devices();
    if (index && *index >= count)
        throw Error(ENODEV, "hip: there is no device " + std::to_string(*index) + "; the runtime shows " +
                                std::to_string(count) + ", counted from 0");
    const DeviceNumber number = number_of(*driver, index.value_or(0));
    check_code(describe_hip(*driver, number));
    return module_api::make_device(std::make_shared<HipPlace>(driver, number));
}

std::vector<DeviceInfo> list_hip_devices() {
    const auto driver = HipDriver::load();
    std::vector<DeviceInfo> devices;
    const unsigned count = driver->devices();
    for (unsigned i = 0; i < count; i++) devices.push_back(describe_hip(*driver, number_of(*driver, i)));
    check_code(devices.front()); // lists a device only if open_hip_device() would accept it
    return devices;
}

} // namespace vmaf
