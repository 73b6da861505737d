// Bodies of kernels for the host device. The build makes a table of all of them (src/device/meson.build), in a library
// of its own: tests and tools link it, libvmaf.so does not.
#pragma once

#include <span>

#include "device/host/context.hpp"
#include "device/kernel.hpp"

namespace vmaf {

// A kernel as one of the contexts has it.
struct HostBody {
    kernels::KernelShape shape;
    void (*run)(HostBlock &block, const HostBody &self, const void *args);
};

struct HostKernel {
    const char *name;
    HostBody in32, in64; // by lanes of a group
};

struct HostKernelSet {
    const char *name;
    std::span<const HostKernel> kernels;
};

std::span<const HostKernelSet> host_kernel_sets();

template <template <class> class K> constexpr HostKernel host_kernel(const char *name) {
    return {name,
            {kernels::shape_of<K<HostContext32>, HostContext32>(), run_on_host<K, HostContext32>},
            {kernels::shape_of<K<HostContext64>, HostContext64>(), run_on_host<K, HostContext64>}};
}

} // namespace vmaf
