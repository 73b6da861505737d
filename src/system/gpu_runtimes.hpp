// Where this system has the runtimes of GPUs, which come with their drivers.
#pragma once

#include <span>
#include <string_view>

namespace vmaf::system {

struct GpuRuntime {
    std::span<const char *const> libraries; // names to load, the best first
    std::string_view how_to_check;          // a sentence for users: how to see whether it is there
};

GpuRuntime cuda_runtime();
GpuRuntime hip_runtime();
const char *nvidia_decoder_library();

} // namespace vmaf::system
