// The device kernels of xpsnr by name: F(name) for each.
#pragma once

#include "metrics/xpsnr/xpsnr_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(xpsnr_blocks_8)                                                                                                  \
    F(xpsnr_blocks_16)
