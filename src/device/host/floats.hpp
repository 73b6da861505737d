// The float operations of contexts (device/kernel.hpp) for CPU code, which can use device/math.hpp through HostMath.
#pragma once

#include <cstring>

#include "device/soft_f64.hpp"

namespace vmaf {

template <class F64Type> class HostFloats {
  public:
    using u32 = kernels::u32;
    using u64 = kernels::u64;
    using f64 = F64Type;

    static float divide(float a, float b) { return a / b; }
    static f64 divide(f64 a, f64 b) { return a / b; }
    static float square_root(float v) { return __builtin_sqrtf(v); }
    static f64 square_root(f64 v) { return kernels::square_root(v); }
    static u32 bits(float v) { return bit_copy<u32>(v); }
    static u64 bits(double v) { return bit_copy<u64>(v); }
    static u64 bits(kernels::SoftF64 v) { return v.bits(); }
    static float float_from(u32 v) { return bit_copy<float>(v); }
    static f64 f64_from(u64 v) { return kernels::F64<f64>::from_bits(v); }

  protected:
    template <class To, class From> static To bit_copy(From from) {
        static_assert(sizeof(To) == sizeof(From));
        To out;
        std::memcpy(&out, &from, sizeof out);
        return out;
    }
};

using HostMath = HostFloats<double>;

} // namespace vmaf
