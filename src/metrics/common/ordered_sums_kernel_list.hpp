// The kernels of sums in a given order by name: F(name) for each.
#pragma once

#include "metrics/common/ordered_sums_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(ordered_sums_rough)                                                                                              \
    F(ordered_sums_maps)                                                                                               \
    F(ordered_sums_join)                                                                                               \
    F(ordered_f32_sums_rough)                                                                                          \
    F(ordered_f32_sums_maps)                                                                                           \
    F(ordered_f32_sums_join)
