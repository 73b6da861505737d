#include "device/exact_floats.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace vmaf::exact_floats_test {
namespace {

std::mt19937_64 random_numbers(11);

// A device whose divisions and roots are up to three units of the last place off.
struct Careless : kernels::PortableOperations {
    using u32 = kernels::u32;
    static u32 bits(float v) { return std::bit_cast<u32>(v); }
    static float float_from(u32 v) { return std::bit_cast<float>(v); }
    static float off(float v) {
        if (v == 0 || !std::isnormal(v)) return v;
        return float_from(bits(v) + static_cast<u32>(random_numbers() % 7) - 3u);
    }
    static float quotient_estimate(float a, float b) { return off(a / b); }
    static float root_estimate(float v) { return off(std::sqrt(v)); }
};
using Exact = kernels::ExactFloats<Careless>;

void expect_same(float got, float wanted, float a, float b) {
    if (std::isnan(wanted))
        EXPECT_TRUE(std::isnan(got)) << a << ' ' << b;
    else
        EXPECT_EQ(Careless::bits(got), Careless::bits(wanted)) << a << ' ' << b;
}

TEST(ExactFloats, DivideLikeTheProcessor) {
    for (int i = 0; i < 500'000; i++) {
        const std::uint64_t r = random_numbers();
        const float a = Careless::float_from(static_cast<unsigned>(r)),
                    b = Careless::float_from(static_cast<unsigned>(r >> 32));
        expect_same(Exact::divide(a, b), a / b, a, b);
        expect_same(Exact::square_root(a), std::sqrt(a), a, a);
    }
}

TEST(ExactFloats, QuotientsNextToRoundingAndBelowTheNormalNumbers) {
    for (int i = 0; i < 300'000; i++) {
        const std::uint64_t r = random_numbers();
        const float b = std::ldexp(float(r % 4096 + 1), int(r >> 12) % 20 - 10);
        const float a = b * float(r >> 20 & 0xffff), tiny = std::ldexp(a, -140 - int(r >> 40 & 15));
        expect_same(Exact::divide(a, b), a / b, a, b);
        expect_same(Exact::divide(tiny, b), tiny / b, tiny, b);
        expect_same(Exact::divide(b, tiny), b / tiny, b, tiny);
        expect_same(Exact::square_root(a * a), std::sqrt(a * a), a, a);
        expect_same(Exact::square_root(tiny), std::sqrt(tiny), tiny, tiny);
    }
}

TEST(ExactFloats, NonFiniteValuesAndLimits) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity(), kMost = std::numeric_limits<float>::max();
    constexpr float kLeast = std::numeric_limits<float>::denorm_min(), kNormal = std::numeric_limits<float>::min();
    const float list[] = {0.0f,          -0.0f, 1.0f,   -1.0f,  3.0f,    kInfinity, -kInfinity,
                          std::nanf(""), kMost, -kMost, kLeast, -kLeast, kNormal};
    for (const float a : list) {
        expect_same(Exact::square_root(a), std::sqrt(a), a, a);
        for (const float b : list) expect_same(Exact::divide(a, b), a / b, a, b);
    }
}

} // namespace
} // namespace vmaf::exact_floats_test
