// The device kernels of float_vif by name: F(name) for each.
#pragma once

#include "metrics/vif/float_vif_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(float_vif_prescale_8)                                                                                            \
    F(float_vif_prescale_16)                                                                                           \
    F(float_vif_reduce_8)                                                                                              \
    F(float_vif_reduce_16)                                                                                             \
    F(float_vif_reduce_float)                                                                                          \
    F(float_vif_statistics_8)                                                                                          \
    F(float_vif_statistics_16)                                                                                         \
    F(float_vif_statistics_float)                                                                                      \
    F(float_vif_totals)
