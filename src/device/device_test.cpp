// Parts of the device layer that need no device: soft doubles, functions of doubles, fibers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "device/host/fiber.hpp"
#include "device/host/floats.hpp"
#include "device/math.hpp"
#include "device/soft_f64.hpp"

namespace vmaf::device_test {
namespace {

using kernels::SoftF64;
using kernels::u32;
using kernels::u64;

u64 bits_of(double v) {
    u64 bits;
    std::memcpy(&bits, &v, sizeof bits);
    return bits;
}

TEST(SoftF64, RoundsLikeHardware) {
    std::mt19937_64 random(7);
    const auto number = [&] {
        // Similar exponents, so that additions cancel and round; sometimes short fractions.
        const double fraction = 1 + double(random() >> (random() % 3 ? 12 : 60)) / 4503599627370496.0;
        const double v = std::ldexp(fraction, int(random() % 120) - 60 - int(random() % 4) * 10);
        return random() & 1 ? v : -v;
    };
    for (int i = 0; i < 200000; i++) {
        double a = number(), b = number();
        if (i % 7 == 0) b = a * (1 + std::ldexp(1.0, -int(random() % 54)));
        if (i % 11 == 0) b = -std::nextafter(a, 0.0);
        const SoftF64 x = SoftF64::from_bits(bits_of(a)), y = SoftF64::from_bits(bits_of(b));
        ASSERT_EQ((x + y).bits(), bits_of(a + b)) << a << " + " << b;
        ASSERT_EQ((x - y).bits(), bits_of(a - b)) << a << " - " << b;
        ASSERT_EQ((x * y).bits(), bits_of(a * b)) << a << " * " << b;
        ASSERT_EQ((x / y).bits(), bits_of(a / b)) << a << " / " << b;
        ASSERT_EQ(x < y, a < b);
        ASSERT_EQ(x >= y, a >= b);
        if (std::fabs(a) < 1e18) {
            ASSERT_EQ(x.truncated(), static_cast<long long>(a));
        }
    }
}

TEST(SoftF64, ConvertsIntegersAndFloats) {
    std::mt19937 random(3);
    for (int i = 0; i < 100000; i++) {
        const u32 v = static_cast<u32>(random()) >> random() % 32;
        ASSERT_EQ(SoftF64(v).bits(), bits_of(double(v)));
        ASSERT_EQ(SoftF64(static_cast<int>(v)).bits(), bits_of(double(static_cast<int>(v))));
        const float f = float(v) * 1.5f;
        ASSERT_EQ(SoftF64(f).bits(), bits_of(double(f)));
    }
    EXPECT_EQ(SoftF64(0).bits(), 0u);
    EXPECT_FALSE(SoftF64(0) < -SoftF64(0));
}

TEST(SoftF64, TakesRootsAndRoundsToFloats) {
    std::mt19937_64 random(5);
    for (int i = 0; i < 100000; i++) {
        const double a = std::ldexp(1 + double(random() >> (random() % 3 ? 12 : 40)) / 4503599627370496.0,
                                    int(random() % 340) - 190);
        const SoftF64 x = SoftF64::from_bits(bits_of(a));
        ASSERT_EQ(x.square_root().bits(), bits_of(std::sqrt(a))) << a;
        const float wanted = float(-a), got = (-x).to_float(); // down to the smallest floats, and beyond the largest
        ASSERT_EQ(std::memcmp(&got, &wanted, sizeof got), 0) << a << ": " << got << ", not " << wanted;
        if (wanted != 0 && std::isfinite(wanted)) {
            ASSERT_EQ(SoftF64(wanted).bits(), bits_of(double(wanted)));
        }
        if (a < 1e15) {
            ASSERT_EQ(x.floor().bits(), bits_of(std::floor(a)));
            ASSERT_EQ((-x).floor().bits(), bits_of(std::floor(-a)));
        }
        const u64 whole = random() >> random() % 64;
        ASSERT_EQ(SoftF64(whole).bits(), bits_of(double(whole)));
        ASSERT_EQ(SoftF64(static_cast<long long>(whole)).bits(), bits_of(double(static_cast<long long>(whole))));
    }
}

// The distance of two doubles in units of the last place.
double steps_between(double a, double b) {
    return std::fabs(double(static_cast<long long>(bits_of(a)) - static_cast<long long>(bits_of(b))));
}

TEST(DeviceMath, AgreesWithTheLibraryAndWithItselfInSoftware) {
    using Hard = kernels::Math<HostMath>;
    using Soft = kernels::Math<HostFloats<SoftF64>>;
    std::mt19937_64 random(11);
    const auto between = [&](double low, double high) { return low + (high - low) * double(random() >> 11) * 0x1p-53; };
    double worst = 0;
    const auto compare = [&](const char *what, double hard, SoftF64 soft, double wanted, double allowed) {
        ASSERT_EQ(bits_of(hard), soft.bits()) << what;
        worst = steps_between(hard, wanted);
        ASSERT_LE(worst, allowed) << what << ": " << hard << ", not " << wanted;
    };
    const auto soft = [](double v) { return SoftF64::from_bits(bits_of(v)); };
    for (int i = 0; i < 20000; i++) {
        const double e = between(-60, 60), x = std::exp2(between(-30, 30)), near_one = between(0.7, 1.5),
                     angle = between(-40, 40);
        compare("exp", Hard::exponential(e), Soft::exponential(soft(e)), std::exp(e), 2);
        compare("log2", Hard::logarithm2(x), Soft::logarithm2(soft(x)), std::log2(x), 2);
        compare("log", Hard::logarithm(x), Soft::logarithm(soft(x)), std::log(x), 2);
        compare("log near 1", Hard::logarithm(near_one), Soft::logarithm(soft(near_one)), std::log(near_one), 2);
        compare("cube root", Hard::cube_root(x), Soft::cube_root(soft(x)),
                double(std::cbrt(static_cast<long double>(x))), 2);
        compare("x^2.4", Hard::power_2_4(near_one), Soft::power_2_4(soft(near_one)), std::pow(near_one, 2.4), 5);
        const double y = between(-5, 5);
        compare("power", Hard::power(near_one, y), Soft::power(soft(near_one), soft(y)), std::pow(near_one, y), 16);
        if (std::fabs(std::sin(angle)) > 1e-3) {
            compare("sin", Hard::sine(angle), Soft::sine(soft(angle)), std::sin(angle), 2);
        }
        if (std::fabs(std::cos(angle)) > 1e-3) {
            compare("cos", Hard::cosine(angle), Soft::cosine(soft(angle)), std::cos(angle), 2);
        }
        const double ordinate = between(-100, 100), abscissa = between(-100, 100);
        compare("atan2", Hard::arc_tangent(ordinate, abscissa), Soft::arc_tangent(soft(ordinate), soft(abscissa)),
                std::atan2(ordinate, abscissa), 2);
        if (HasFatalFailure()) return;
    }
    EXPECT_EQ(Hard::exponential(0.0), 1.0);
    EXPECT_EQ(Hard::logarithm2(8.0), 3.0);
    EXPECT_EQ(Hard::arc_tangent(0.0, 1.0), 0.0);
    EXPECT_EQ(Hard::sine(0.0), 0.0);
}

TEST(Fibers, RunInTurnsUntilAllAreDone) {
    struct State {
        FiberSet fibers;
        std::vector<unsigned> order;
    } state;
    const auto body = [](void *p, unsigned index) {
        auto &s = *static_cast<State *>(p);
        for (int turn = 0; turn < 2; turn++) {
            s.order.push_back(index);
            s.fibers.progress();
            s.fibers.pass_on();
        }
    };
    for (int run = 0; run < 2; run++) state.fibers.run(3, body, &state);
    std::vector<unsigned> sorted = state.order;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, (std::vector<unsigned>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
    EXPECT_NE(state.order[0], state.order[6]); // the second run goes backwards
}

TEST(Fibers, DeadlocksAreReported) {
    FiberSet fibers;
    const auto wait_forever = [](void *p, unsigned) {
        for (;;) static_cast<FiberSet *>(p)->pass_on();
    };
    EXPECT_THROW(fibers.run(4, wait_forever, &fibers), Error);
}

} // namespace
} // namespace vmaf::device_test
