/* Kernels in Metal's language for the host: the interface of generated files and runtime.cpp. */
#pragma once

struct MetalStandInKernel {
    const char *name;
    /* Runs one thread of a block. */
    void (*run)(const void *args, void *shared, unsigned block_x, unsigned block_y, unsigned block_z, unsigned index);
    void (*store_shape)(void *shape);
};
