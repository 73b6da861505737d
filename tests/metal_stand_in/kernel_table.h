/* Kernels in Metal's language as the host runs them: between generated files and runtime.cpp. */
#pragma once

struct MetalStandInKernel {
    const char *name;
    /* One thread of a block. */
    void (*run)(const void *args, void *shared, unsigned block_x, unsigned block_y, unsigned block_z, unsigned index);
    void (*store_shape)(void *shape);
};
