#include "device/cuda/context.cuh"
#include "metrics/vif/vif_kernel_list.hpp"

VMAF_VIF_KERNELS(VMAF_CUDA_KERNEL)
