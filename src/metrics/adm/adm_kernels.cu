#include "device/cuda/context.cuh"
#include "metrics/adm/adm_kernel_list.hpp"

VMAF_ADM_KERNELS(VMAF_CUDA_KERNEL)
