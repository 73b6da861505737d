// Device code for CUDA: one fat binary per set of kernels, embedded by the build.
#pragma once

#include <span>

namespace vmaf::cuda {

struct Image {
    const char *set;
    const void *fatbin;
};
std::span<const Image> images();    // of the library
void add_image(const Image &image); // for tests; before devices are opened

} // namespace vmaf::cuda
