// Profiler ranges for the runtimes that the build selects; empty otherwise.
#pragma once

#include <cstdint>

#include "config.h"

#if VMAF_ENABLE_NVTX
#include "device/cuda/nvtx.hpp"
#endif

namespace vmaf {

#if VMAF_ENABLE_NVTX
using TraceRange = cuda::NvtxRange;
#else
class TraceRange {
  public:
    explicit TraceRange(const char *, std::uint64_t = 0) {}
    ~TraceRange() {}
};
#endif

} // namespace vmaf
