// The device kernels of float_vif by name: F(name) for each.
#pragma once

#include "metrics/vif/float_vif_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(float_vif_prescale_8)                                                                                            \
    F(float_vif_prescale_16)                                                                                           \
    F(float_vif_reduce_9_8)                                                                                            \
    F(float_vif_reduce_9_16)                                                                                           \
    F(float_vif_reduce_5)                                                                                              \
    F(float_vif_reduce_3)                                                                                              \
    F(float_vif_reduce_any_8)                                                                                          \
    F(float_vif_reduce_any_16)                                                                                         \
    F(float_vif_reduce_any)                                                                                            \
    F(float_vif_statistics_17_8)                                                                                       \
    F(float_vif_statistics_17_16)                                                                                      \
    F(float_vif_statistics_9)                                                                                          \
    F(float_vif_statistics_5)                                                                                          \
    F(float_vif_statistics_3)                                                                                          \
    F(float_vif_statistics_any_8)                                                                                      \
    F(float_vif_statistics_any_16)                                                                                     \
    F(float_vif_statistics_any)                                                                                        \
    F(float_vif_lines)                                                                                                 \
    F(float_vif_totals)
