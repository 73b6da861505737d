// The device kernels of psnr and float_psnr by name: F(name) for each.
#pragma once

#include "metrics/psnr/psnr_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(squared_error_8)                                                                                                 \
    F(squared_error_16)                                                                                                \
    F(tile_error_8)                                                                                                    \
    F(tile_error_16)                                                                                                   \
    F(squared_error_rounded)                                                                                           \
    F(squared_error_in_order)
