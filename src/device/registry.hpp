// Kernels as devices see them: a name in the image of the metric that owns them, a shape, and a body for the host.
#pragma once

#include <cstddef>

#include "device/host/context.hpp"
#include "device/kernel.hpp"

namespace vmaf {

// Geometry of a kernel; it depends on how many lanes run in step.
struct KernelShape {
    unsigned threads = 0; // of a block
    std::size_t shared_bytes = 0;
    int tile_width = 0, tile_height = 0; // samples that one block covers
};

// Device code of one metric, for all runtimes that the library was built with. Null where there is none.
struct KernelImage {
    const void *cuda_fatbin = nullptr;
};

struct Kernel {
    const char *name; // of the entry point, in every image
    const KernelImage *image;
    KernelShape shape32, shape64;
    void (*host32)(HostBlock &block, const void *args);
    void (*host64)(HostBlock &block, const void *args);

    const KernelShape &shape(unsigned group_width) const { return group_width == 64 ? shape64 : shape32; }
};

template <class K> constexpr KernelShape shape_of() {
    return {K::kThreads, sizeof(typename K::SharedMemory), K::kTileWidth, K::kTileHeight};
}

// Describes `K` (a kernel class template, see kernel.hpp).
template <template <class> class K> constexpr Kernel describe_kernel(const char *name, const KernelImage &image) {
    return {name,
            &image,
            shape_of<K<HostContext32>>(),
            shape_of<K<HostContext64>>(),
            run_on_host<K, HostContext32>,
            run_on_host<K, HostContext64>};
}

} // namespace vmaf
