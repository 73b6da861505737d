// CPU versions of the context operations (device/kernel.hpp) that formulas shared by CPU and device code use.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace vmaf {

struct PlainArithmetic {
    using f64 = double;
    static float divide(float a, float b) { return a / b; }
    static double divide(double a, double b) { return a / b; }
    static float square_root(float v) { return std::sqrt(v); }
    static double square_root(double v) { return std::sqrt(v); }
    static std::uint32_t bits(float v) { return std::bit_cast<std::uint32_t>(v); }
    static float float_from(std::uint32_t v) { return std::bit_cast<float>(v); }
};

} // namespace vmaf
