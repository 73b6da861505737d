// Device code for CUDA: one fat binary per set of kernels, embedded by the build.
#pragma once

#include <span>

namespace vmaf::cuda {

struct Image {
    const char *set;
    const void *fatbin;
};
std::span<const Image> images();

} // namespace vmaf::cuda
