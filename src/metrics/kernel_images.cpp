#include "metrics/kernel_images.hpp"

#include "config.h"

#if VMAF_ENABLE_CUDA
// Made by src/device/cuda/embed.py.
extern "C" const unsigned char vmaf_vif_fatbin[], vmaf_adm_fatbin[], vmaf_motion_fatbin[];
#define VMAF_CUDA_IMAGE(metric) vmaf_##metric##_fatbin
#else
#define VMAF_CUDA_IMAGE(metric) nullptr
#endif

namespace vmaf {

const KernelImage vif_kernel_image = {.cuda_fatbin = VMAF_CUDA_IMAGE(vif)};
const KernelImage adm_kernel_image = {.cuda_fatbin = VMAF_CUDA_IMAGE(adm)};
const KernelImage motion_kernel_image = {.cuda_fatbin = VMAF_CUDA_IMAGE(motion)};

} // namespace vmaf
