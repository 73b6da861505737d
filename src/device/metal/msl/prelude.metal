// The start of every generated file (msl.py).
#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

// Copies structs between address spaces. The test header that compiles this text with plain clang has its own.
#ifndef VMAF_MSL_COPIES
namespace vmaf {
namespace kernels {
template <class T> inline T fetched(const device T *at) { return *at; }
template <class T> inline T fetched(const threadgroup T *at) { return *at; }
template <class T> inline T fetched(const constant T *at) { return *at; }
template <class T> inline void put(device T *at, T value) { *at = value; }
template <class T> inline void put(threadgroup T *at, T value) { *at = value; }
} // namespace kernels
} // namespace vmaf
#endif
