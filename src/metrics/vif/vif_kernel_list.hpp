// The device kernels of vif by name: F(name) for each.
#pragma once

#include "metrics/vif/vif_kernels.hpp"
#include "metrics/vif/vif_thin_kernel.hpp"
#include "metrics/vif/vif_tiles_kernel.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(vif_scale0_8)                                                                                                    \
    F(vif_scale0_15)                                                                                                   \
    F(vif_scale0_16)                                                                                                   \
    F(vif_scale1)                                                                                                      \
    F(vif_scale2)                                                                                                      \
    F(vif_scale3)                                                                                                      \
    F(vif_pair_scale0_8)                                                                                               \
    F(vif_pair_scale0_15)                                                                                              \
    F(vif_pair_scale0_16)                                                                                              \
    F(vif_pair_scale1)                                                                                                 \
    F(vif_pair_scale2)                                                                                                 \
    F(vif_pair_scale3)                                                                                                 \
    F(vif_tiles_scale0_8)                                                                                              \
    F(vif_tiles_scale0_15)                                                                                             \
    F(vif_tiles_scale0_16)                                                                                             \
    F(vif_tiles_scale1)                                                                                                \
    F(vif_tiles_scale2)                                                                                                \
    F(vif_tiles_scale3)                                                                                                \
    F(vif_thin)
