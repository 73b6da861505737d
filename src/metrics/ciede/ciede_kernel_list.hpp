// The device kernels of ciede by name: F(name) for each.
#pragma once

#include "metrics/ciede/ciede_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(ciede_8)                                                                                                         \
    F(ciede_16)
