// The device kernels of cambi by name: F(name) for each.
#pragma once

#include "metrics/cambi/cambi_count_kernel.hpp"
#include "metrics/cambi/cambi_image_kernels.hpp"
#include "metrics/cambi/cambi_pool_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(cambi_prepare_8)                                                                                                 \
    F(cambi_prepare_16)                                                                                                \
    F(cambi_mode)                                                                                                      \
    F(cambi_count_small)                                                                                               \
    F(cambi_count_64)                                                                                                  \
    F(cambi_count_128)                                                                                                 \
    F(cambi_select_top)                                                                                                \
    F(cambi_select_middle)                                                                                             \
    F(cambi_select_low)                                                                                                \
    F(cambi_ordered_sum)                                                                                               \
    F(cambi_heatmap)
