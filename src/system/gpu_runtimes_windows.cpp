#include "system/gpu_runtimes.hpp"

namespace vmaf::system {

namespace {

constexpr const char *kCuda[] = {"nvcuda.dll"};
constexpr const char *kHip[] = {"amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"};

} // namespace

// Drivers put them into the system's own folder.
GpuRuntime cuda_runtime() { return {kCuda, "Check whether it is installed: where nvcuda.dll"}; }
GpuRuntime hip_runtime() { return {kHip, "Check whether it is installed: where amdhip64*.dll"}; }
const char *nvidia_decoder_library() { return "nvcuvid.dll"; }

} // namespace vmaf::system
