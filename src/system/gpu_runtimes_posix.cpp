#include "system/gpu_runtimes.hpp"

namespace vmaf::system {

namespace {

constexpr const char *kCuda[] = {"libcuda.so.1"};
// Newest first; only development packages have the unversioned name.
constexpr const char *kHip[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};

} // namespace

GpuRuntime cuda_runtime() {
    return {kCuda, "To see whether it is installed, run: ldconfig -p | grep -iE 'libcuda|libnvcuvid'"};
}

GpuRuntime hip_runtime() { return {kHip, "To see whether it is installed, run: ldconfig -p | grep libamdhip64"}; }

const char *nvidia_decoder_library() { return "libnvcuvid.so.1"; }

} // namespace vmaf::system
