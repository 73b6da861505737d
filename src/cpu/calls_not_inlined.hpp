// Included first where vector sources are instrumented: keeps our own functions as calls, while Highway's operations
// are inlined. Without this a sanitizer build of unrolled code takes minutes and a gigabyte; the results are
// the same.
#pragma once

#include <hwy/base.h>

#undef HWY_INLINE
#define HWY_INLINE inline __attribute__((noinline))
#undef HWY_API
#define HWY_API static inline __attribute__((always_inline, unused))
