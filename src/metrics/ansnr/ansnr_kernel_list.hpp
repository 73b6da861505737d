// The device kernels of float_ansnr by name: F(name) for each.
#pragma once

#include "metrics/ansnr/ansnr_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(ansnr_8)                                                                                                         \
    F(ansnr_16)                                                                                                        \
    F(ansnr_totals)
