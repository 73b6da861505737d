#include "system/gpu_runtimes.hpp"

namespace vmaf::system {

namespace {

constexpr const char *kCuda[] = {"libcuda.so.1"};
// Newest first; the plain name comes with development packages only.
constexpr const char *kHip[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};

} // namespace

GpuRuntime cuda_runtime() {
    return {kCuda, "Check whether the loader knows it: ldconfig -p | grep -iE 'libcuda|libnvcuvid'"};
}

GpuRuntime hip_runtime() { return {kHip, "Check whether the loader knows it: ldconfig -p | grep libamdhip64"}; }

const char *nvidia_decoder_library() { return "libnvcuvid.so.1"; }

} // namespace vmaf::system
