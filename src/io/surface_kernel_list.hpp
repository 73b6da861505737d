// The kernels for decoded surfaces: F(name) for each.
#pragma once

#include "io/surface_kernels.hpp"

#define VMAF_KERNELS(F) F(surface_to_8) F(surface_to_16) F(luma_blocks_8) F(luma_blocks_16)
