// The kernels of the sample check: F(name) for each.
#pragma once

#include "session/sample_check_kernels.hpp"

#define VMAF_KERNELS(F) F(samples_above_depth)
