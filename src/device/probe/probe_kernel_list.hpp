// The device test kernels: F(name) for each.
#pragma once

#include "device/probe/probe_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(probe_operations)                                                                                                \
    F(probe_ordered_f32)                                                                                               \
    F(probe_ordered_f32_signed)                                                                                        \
    F(probe_ordered_f64)                                                                                               \
    F(probe_ordered_f64_signed)
