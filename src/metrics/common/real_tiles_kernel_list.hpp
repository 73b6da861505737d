// The kernel of real sums of tiles by name: F(name) for each.
#pragma once

#include "metrics/common/real_tiles_kernel.hpp"

#define VMAF_KERNELS(F) F(real_tiles_sums)
