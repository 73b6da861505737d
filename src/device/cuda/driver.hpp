// The CUDA driver (backends.md 3.1): its functions beyond those common to all drivers.
#pragma once

#include "device/module_api/driver.hpp"

namespace vmaf::cuda {

using module_api::DeviceNumber;
using module_api::Result;
using ContextHandle = struct CUctx_st *;

inline constexpr int kMultiprocessorCount = 16, kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76;

class CudaDriver final : public module_api::Driver {
  public:
    // Throws Error if there is no usable driver.
    static std::shared_ptr<const CudaDriver> load();

    int devices() const; // throws Error if there are none
    const char *error_name(Result result) const override;
    std::string version() const override;
    void copy(const module_api::Rectangle &rectangle, module_api::StreamHandle stream) const override;
    void allow_shared_memory(module_api::FunctionHandle function, unsigned bytes) const override;

    module_api::Function<ContextHandle *, DeviceNumber> context_retain;
    module_api::Function<DeviceNumber> context_release;
    module_api::Function<ContextHandle> context_push;
    module_api::Function<ContextHandle *> context_pop;
    module_api::Function<DeviceNumber *> context_device;

  private:
    explicit CudaDriver(std::unique_ptr<system::DynamicLibrary> library);
    static std::shared_ptr<const CudaDriver> load_now();

    struct Copy2D;
    module_api::Function<Result, const char **> get_error_name_;
    module_api::Function<int *> get_version_;
    module_api::Function<const Copy2D *, module_api::StreamHandle> copy_2d_;
    module_api::Function<module_api::FunctionHandle, int, int> set_function_attribute_;
};

} // namespace vmaf::cuda
