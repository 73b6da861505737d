// The device kernels of psnr_hvs by name: F(name) for each.
#pragma once

#include "metrics/psnr_hvs/psnr_hvs_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(hvs_errors_8)                                                                                                    \
    F(hvs_errors_16)
