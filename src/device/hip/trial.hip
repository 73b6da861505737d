#include <hip/hip_runtime.h>
extern "C" __global__ void trial(float *at) { at[threadIdx.x] = __ocml_sqrt_f32(at[threadIdx.x]); }
