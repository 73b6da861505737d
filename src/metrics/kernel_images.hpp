// Device code of the metrics that have some, embedded by the build.
#pragma once

#include "device/registry.hpp"

namespace vmaf {

extern const KernelImage vif_kernel_image, adm_kernel_image, motion_kernel_image;

} // namespace vmaf
