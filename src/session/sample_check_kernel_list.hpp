// The device kernels of the check of samples by name: F(name) for each.
#pragma once

#include "session/sample_check_kernels.hpp"

#define VMAF_KERNELS(F) F(samples_above_depth)
