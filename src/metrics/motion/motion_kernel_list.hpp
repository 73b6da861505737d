// The device kernels of motion by name: F(name) for each.
#pragma once

#include "metrics/motion/motion_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(motion_8)                                                                                                        \
    F(motion_15)                                                                                                       \
    F(motion_16)
