// The kernels in Metal's language, compiled by plain clang and run by the host (docs/backends/metal.md).
#pragma once

#include <span>

struct MetalStandInKernel;

namespace vmaf {

struct MetalStandInSet {
    const char *name;
    const MetalStandInKernel *kernels; // ends with a nameless one
};
std::span<const MetalStandInSet> metal_stand_in_sets(); // generated

} // namespace vmaf
