// The device kernels of speed_chroma and speed_temporal by name: F(name) for each.
#pragma once

#include "metrics/speed/speed_matrix_kernels.hpp"
#include "metrics/speed/speed_plane_kernels.hpp"

#define VMAF_KERNELS(F)                                                                                                \
    F(speed_decimate_8)                                                                                                \
    F(speed_decimate_16)                                                                                               \
    F(speed_decimate_scaled_8)                                                                                         \
    F(speed_decimate_scaled_16)                                                                                        \
    F(speed_local_mean)                                                                                                \
    F(speed_covariance)                                                                                                \
    F(speed_matrix)                                                                                                    \
    F(speed_blocks)
