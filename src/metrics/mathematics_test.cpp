// Scores are compared in every digit, so mathematical functions must round as on the system where figures were
// recorded.
#include <cmath>
#include <gtest/gtest.h>

namespace vmaf {
namespace {

template <typename T> T unknown(T value) { // hides the value from the compiler, which would compute itself
    volatile T hidden = value;
    return hidden;
}

// Arguments for which C libraries are known to differ.
TEST(Mathematics, FunctionsRoundAsWhereFiguresWereRecorded) {
    EXPECT_EQ(std::pow(unknown(0x1.e97d32p+11f), unknown(1.0f / 3.0f)), 0x1.f86238p+3f);
    EXPECT_EQ(std::pow(unknown(0x1.a93258p+11f), unknown(1.0f / 3.0f)), 0x1.e141acp+3f);
    EXPECT_EQ(std::pow(unknown(0x1.1aec4cp+6f), unknown(7.0f)), 0x1.01c17ap+43f);
    EXPECT_EQ(std::pow(unknown(0x1.0a1ae336ca37cp-1), unknown(0x1.2b5c562147b49p-1)), 0x1.5d36c22f05d52p-1);
    EXPECT_EQ(std::exp(unknown(0x1.8a456368a52bp+0)), 0x1.2a91ea9dd3fadp+2);
    EXPECT_EQ(std::log(unknown(0x1.165a9b9f1d5efp+0)), 0x1.56e69a840cb38p-4);
    EXPECT_EQ(std::log2(unknown(0x1.266657266a67ep+19)), 0x1.3339e33b5df1bp+4);
    EXPECT_EQ(std::log10(unknown(0x1.e69e795b6c512p+15)), 0x1.32d76f2ec37a8p+2);
}

// Other systems use functions from elsewhere (subprojects/newlib.wrap): checks their edge cases too.
TEST(Mathematics, EdgesAreThoseOfTheStandard) {
    const double infinity = INFINITY;
    EXPECT_EQ(std::log10(unknown(0.0)), -infinity);
    EXPECT_EQ(std::log2(unknown(0.0)), -infinity);
    EXPECT_EQ(std::log10(unknown(1000.0)), 3.0);
    EXPECT_TRUE(std::isnan(std::log10(unknown(-1.0))));
    EXPECT_TRUE(std::isnan(std::log(unknown(-1.0))));
    EXPECT_EQ(std::exp(unknown(-infinity)), 0.0);
    EXPECT_EQ(std::exp(unknown(1e4)), infinity);
    EXPECT_EQ(std::pow(unknown(0.0f), unknown(0.0f)), 1.0f);
    EXPECT_EQ(std::pow(unknown(-2.0), unknown(3.0)), -8.0);
    EXPECT_TRUE(std::isnan(std::pow(unknown(-2.0f), unknown(0.5f))));
}

} // namespace
} // namespace vmaf
