// Compiled at configuration time to check that clang supports the installed CUDA.
__device__ int probe(int v) { return __shfl_sync(0xffffffffu, v, 0); }
