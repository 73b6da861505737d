// The names of the GPU runtimes on this system; drivers install them.
#pragma once

#include <span>
#include <string_view>

namespace vmaf::system {

struct GpuRuntime {
    std::span<const char *const> libraries; // in the order to try
    std::string_view how_to_check;          // a sentence for users
};

GpuRuntime cuda_runtime();
GpuRuntime hip_runtime();
const char *nvidia_decoder_library();

} // namespace vmaf::system
