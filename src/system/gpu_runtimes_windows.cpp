#include "system/gpu_runtimes.hpp"

namespace vmaf::system {

namespace {

constexpr const char *kCuda[] = {"nvcuda.dll"};
constexpr const char *kHip[] = {"amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"};

} // namespace

// Drivers install them into the system folder.
GpuRuntime cuda_runtime() { return {kCuda, "To see whether it is installed, run: where nvcuda.dll"}; }
GpuRuntime hip_runtime() { return {kHip, "To see whether it is installed, run: where amdhip64*.dll"}; }
const char *nvidia_decoder_library() { return "nvcuvid.dll"; }

} // namespace vmaf::system
