// The kernels in Metal's language, compiled by plain clang and run by the host (docs/backends/metal.md).
#pragma once

#include <span>

struct MetalStandInKernel;

namespace vmaf {

struct MetalStandInSet {
    const char *name;
    const MetalStandInKernel *kernels; // one without a name after the last
};
std::span<const MetalStandInSet> metal_stand_in_sets(); // made by the build

} // namespace vmaf
