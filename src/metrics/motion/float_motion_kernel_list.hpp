// The device kernels of float_motion by name: F(name) for each.
#pragma once

#include "metrics/motion/float_motion_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(float_motion_8)                                                                                                  \
    F(float_motion_16)                                                                                                 \
    F(half_motion)                                                                                                     \
    F(float_motion_totals)
