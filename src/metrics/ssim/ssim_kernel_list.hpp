// The device kernels of float_ssim, float_ms_ssim and ssim by name: F(name) for each.
#pragma once

#include "metrics/ssim/ssim_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(ssim_box_8)                                                                                                      \
    F(ssim_box_16)                                                                                                     \
    F(ssim_any_box_8)                                                                                                  \
    F(ssim_any_box_16)                                                                                                 \
    F(ssim_decimate_8)                                                                                                 \
    F(ssim_decimate_16)                                                                                                \
    F(ssim_decimate_float)                                                                                             \
    F(ssim_terms_8)                                                                                                    \
    F(ssim_terms_16)                                                                                                   \
    F(ssim_terms_float)                                                                                                \
    F(ssim_moments_8)                                                                                                  \
    F(ssim_moments_16)
