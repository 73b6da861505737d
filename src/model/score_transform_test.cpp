#include "model/score_transform.hpp"

#include <gtest/gtest.h>

namespace vmaf::score_transform_test {
namespace {

TEST(ScoreTransform, PolynomialUsesThePresentCoefficientsOnly) {
    EXPECT_EQ(ScoreTransform{}.apply(7.0), 7.0);
    EXPECT_EQ((ScoreTransform{.p0 = 5.0}.apply(7.0)), 5.0);
    EXPECT_EQ((ScoreTransform{.p1 = 2.0}.apply(7.0)), 14.0);
    EXPECT_EQ((ScoreTransform{.p2 = 0.1}.apply(7.0)), (0.1 * 7.0) * 7.0);
    EXPECT_EQ((ScoreTransform{.p0 = 1.0, .p1 = 2.0, .p2 = 3.0}.apply(2.0)), 17.0);
}

TEST(ScoreTransform, RectificationComparesWithTheInput) {
    EXPECT_EQ((ScoreTransform{.p0 = 5.0, .out_lte_in = true}.apply(3.0)), 3.0);
    EXPECT_EQ((ScoreTransform{.p0 = 5.0, .out_lte_in = true}.apply(8.0)), 5.0);
    EXPECT_EQ((ScoreTransform{.p0 = 5.0, .out_gte_in = true}.apply(8.0)), 8.0);
    EXPECT_EQ((ScoreTransform{.p0 = 5.0, .out_gte_in = true}.apply(3.0)), 5.0);
}

TEST(ScoreTransform, KnotsInterpolateAndExtendTheOuterSegments) {
    const ScoreTransform t{.knots = {{0, 10}, {50, 60}, {100, 80}}};
    EXPECT_EQ(t.apply(25), 35);
    EXPECT_EQ(t.apply(50), 60);
    EXPECT_EQ(t.apply(75), 70);
    EXPECT_EQ(t.apply(-10), 0);
    EXPECT_EQ(t.apply(150), 100);
}

TEST(ScoreTransform, HorizontalPiecesAreConstantAlsoOutside) {
    const ScoreTransform t{.knots = {{10, 20}, {20, 20}, {30, 40}}};
    EXPECT_EQ(t.apply(-5), 20);
    EXPECT_EQ(t.apply(15), 20);
    EXPECT_EQ(t.apply(25), 30);
}

TEST(ScoreTransform, FewerThanTwoKnotsChangeNothing) {
    EXPECT_EQ((ScoreTransform{.knots = {{0, 10}}}.apply(3.0)), 3.0);
}

// A quirk of the reference: the search ends there silently.
TEST(ScoreTransform, KnotsThatDoNotRiseGiveZeroOrAnEarlierSegment) {
    EXPECT_EQ((ScoreTransform{.knots = {{10, 0}, {10, 5}, {20, 9}}}.apply(15)), 0);
    EXPECT_EQ((ScoreTransform{.knots = {{0, 0}, {10, 10}, {20, 5}}}.apply(5)), 5);
    EXPECT_EQ((ScoreTransform{.knots = {{0, 0}, {10, 10}, {20, 5}}}.apply(15)), 0);
}

TEST(ScoreTransform, PolynomialFeedsTheKnots) {
    const ScoreTransform t{.p1 = 2.0, .knots = {{0, 0}, {100, 50}}, .out_gte_in = true};
    EXPECT_EQ(t.apply(30), 30);
}

} // namespace
} // namespace vmaf::score_transform_test
