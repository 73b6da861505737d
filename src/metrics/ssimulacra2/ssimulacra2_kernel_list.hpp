// The device kernels of ssimulacra2 by name: F(name) for each.
#pragma once

#include "metrics/ssimulacra2/ssimulacra2_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(ssimulacra2_colour_8)                                                                                            \
    F(ssimulacra2_colour_16)                                                                                           \
    F(ssimulacra2_colour_later)                                                                                        \
    F(ssimulacra2_edge_row_blur)                                                                                       \
    F(ssimulacra2_row_blur)                                                                                            \
    F(ssimulacra2_maps)                                                                                                \
    F(ssimulacra2_edge_maps)
