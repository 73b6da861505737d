// Included before everything else where vector sources are instrumented: our own functions stay calls, Highway's
// operations do not. Unrolled code takes a sanitizer's compiler minutes and a gigabyte otherwise; it runs slower, and
// does the same.
#pragma once

#include <hwy/base.h>

#undef HWY_INLINE
#define HWY_INLINE inline __attribute__((noinline))
#undef HWY_API
#define HWY_API static inline __attribute__((always_inline, unused))
