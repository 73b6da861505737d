// CUDA devices of the libraries, without CUDA's headers: declares the two types that theirs mention.
#pragma once

#ifndef CUDA_VERSION
#define CUDA_VERSION 0
using CUcontext = struct CUctx_st *;
using CUstream = struct CUstream_st *;
#endif

extern "C" {
#include <libavutil/hwcontext_cuda.h>
}
