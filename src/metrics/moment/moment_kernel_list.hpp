// The device kernels of float_moment by name: F(name) for each.
#pragma once

#include "metrics/moment/moment_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(moment_8)                                                                                                        \
    F(moment_12)                                                                                                       \
    F(moment_16)                                                                                                       \
    F(moment_in_order)
