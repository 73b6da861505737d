// AMD's HIP runtime: its functions beyond those common to all drivers.
#pragma once

#include "device/module_api/driver.hpp"

namespace vmaf::hip {

using module_api::DeviceNumber;
using module_api::Result;

// Values of hipDeviceAttribute_t, since ROCm 5.
inline constexpr int kMultiprocessorCount = 63, kSharedMemoryPerBlock = 74, kWarpSize = 87;

class HipDriver final : public module_api::Driver {
  public:
    // Throws Error(ENODEV) if there is no usable runtime.
    static std::shared_ptr<const HipDriver> load();

    unsigned devices() const;                       // throws Error(ENODEV) if there are none
    std::string arch_of(DeviceNumber device) const; // "gfx90a", or "unknown"
    const char *error_name(Result result) const override;
    std::string version() const override;
    void copy(const module_api::Rectangle &rectangle, module_api::StreamHandle stream) const override;
    void allow_shared_memory(module_api::FunctionHandle function, unsigned bytes) const override;

    module_api::Function<DeviceNumber> set_device;
    module_api::Function<DeviceNumber *> get_device;

  private:
    explicit HipDriver(std::unique_ptr<system::DynamicLibrary> library);
    static std::shared_ptr<const HipDriver> load_now();

    const char *(*get_error_name_)(Result) = nullptr;
    module_api::Function<int *> get_version_;
    module_api::Function<void *, DeviceNumber> get_properties_;
    module_api::Function<void *, std::size_t, const void *, std::size_t, std::size_t, std::size_t, int,
                         module_api::StreamHandle>
        copy_2d_;
};

} // namespace vmaf::hip
