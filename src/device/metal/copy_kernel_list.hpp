// The copy kernels: F(name) for each.
#pragma once

#include "device/metal/copy_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(copy_bytes)                                                                                                      \
    F(copy_words)
