// The device kernels of float_adm by name: F(name) for each.
#pragma once

#include "metrics/adm/float_adm_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(float_adm_wavelet_8)                                                                                             \
    F(float_adm_wavelet_16)                                                                                            \
    F(float_adm_wavelet_float)                                                                                         \
    F(float_adm_sums)                                                                                                  \
    F(float_adm_terms)                                                                                                 \
    F(float_adm_totals)
