/* What newlib's mathematical functions ask of its own headers, for other C libraries. */
#ifndef NEWLIB_MATH_IEEEFP_H
#define NEWLIB_MATH_IEEEFP_H
#include <stdint.h>
#define __IEEE_LITTLE_ENDIAN
#define __int32_t int32_t
#define __uint32_t uint32_t
#endif
