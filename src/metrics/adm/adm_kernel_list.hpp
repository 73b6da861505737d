// The device kernels of adm by name: F(name) for each.
#pragma once

#include "metrics/adm/adm_kernels.hpp"
#include "metrics/adm/adm_tiles_kernel.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(adm_scale0_8)                                                                                                    \
    F(adm_scale0_16)                                                                                                   \
    F(adm_scale1)                                                                                                      \
    F(adm_scale2)                                                                                                      \
    F(adm_scale3)                                                                                                      \
    F(adm_pair_scale0_8)                                                                                               \
    F(adm_pair_scale0_16)                                                                                              \
    F(adm_pair_scale1)                                                                                                 \
    F(adm_pair_scale2)                                                                                                 \
    F(adm_pair_scale3)                                                                                                 \
    F(adm_general_scale0_8)                                                                                            \
    F(adm_general_scale0_16)                                                                                           \
    F(adm_general_scale1)                                                                                              \
    F(adm_general_scale2)                                                                                              \
    F(adm_general_scale3)                                                                                              \
    F(adm_tiles_scale0_8)                                                                                              \
    F(adm_tiles_scale0_16)                                                                                             \
    F(adm_tiles_scale1)                                                                                                \
    F(adm_tiles_scale2)                                                                                                \
    F(adm_tiles_scale3)                                                                                                \
    F(adm_tiles_general_scale0_8)                                                                                      \
    F(adm_tiles_general_scale0_16)                                                                                     \
    F(adm_tiles_general_scale1)                                                                                        \
    F(adm_tiles_general_scale2)                                                                                        \
    F(adm_tiles_general_scale3)
