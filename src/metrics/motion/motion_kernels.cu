#include "device/cuda/context.cuh"
#include "metrics/motion/motion_kernel_list.hpp"

VMAF_MOTION_KERNELS(VMAF_CUDA_KERNEL)
