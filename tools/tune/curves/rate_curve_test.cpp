#include <cmath>
#include <gtest/gtest.h>

#include "curves/bd_rate.hpp"
#include "curves/rate_curve.hpp"

namespace vmaf::tune {
namespace {

// Linear in the scale of score_curve.hpp: 101 - (2 + 0.4 (q - 10))^(1 / 0.6), half the rate every six q.
RatePoint at(double q, double rate = 1, double lost = 0) {
    return {rate * 1000 * std::pow(2, -(q - 10) / 6), 101 - std::pow(2 + 0.4 * (q - 10), 1 / 0.6) - lost, 640, 360, q};
}

TEST(RateCurve, TwoPointsTellRoughlyWhereAScoreLies) {
    const RateCurve curve{{at(17), at(31)}};
    for (const double q : {12.0, 20.0, 35.0}) {
        const auto there = curve.rough_at(at(q).score, true, {});
        ASSERT_TRUE(there);
        EXPECT_NEAR(there->q, q, 1e-6);
        EXPECT_NEAR(there->kbps / at(q).kbps, 1, 1e-6);
    }
    EXPECT_FALSE(RateCurve{{at(17)}}.rough_at(90, true, {}));
    const auto alike = RateCurve{{at(20, 0.5)}}.rough_at(at(26).score, true, curve);
    ASSERT_TRUE(alike);
    EXPECT_NEAR(alike->q, 26, 1e-6);
    EXPECT_NEAR(alike->kbps / at(26, 0.5).kbps, 1, 1e-6);
}

TEST(RateCurve, APercentOfTheRateIsWorthLessWhereTheCurveIsFlat) {
    const RateCurve curve{{at(12), at(17), at(24), at(31)}};
    EXPECT_GT(curve.score_of_percent(80), curve.score_of_percent(95));
    EXPECT_GT(curve.score_of_percent(95), 0);
    EXPECT_EQ(curve.score_of_percent(10), 0); // outside
}

TEST(RateCurve, OnlySizesThatMayBeTheBestAreWanted) {
    const std::vector<double> targets = {60, 75, 93};
    const KnobRange q{10, 46};
    // The second needs a tenth more at equal score, the third twice as much, the fourth cannot reach it.
    const std::vector<RateCurve> sizes = {
        {{at(17), at(31)}}, {{at(17, 1.1), at(31, 1.1)}}, {{at(17, 2)}}, {{at(17, 1, 60)}}};
    const auto wanted = [&](std::size_t size) { return wanted_scores(sizes, size, targets, true, q); };
    ASSERT_TRUE(wanted(0) && wanted(1));
    EXPECT_EQ(wanted(0)->low, 60);
    EXPECT_EQ(wanted(0)->high, 93);
    EXPECT_EQ(wanted(1)->high, 93);
    EXPECT_FALSE(wanted(2));
    EXPECT_FALSE(wanted(3));
    const RateCurve low{{at(17, 1, 60), at(31, 1, 60)}};
    // If none reaches a score, the first one tries, and reports it.
    EXPECT_TRUE(wanted_scores({low, low}, 0, {99}, true, q));
    EXPECT_FALSE(wanted_scores({low, low}, 1, {99}, true, q));
}

TEST(InterpolationInterval, IsWidestInTheMiddleOfAGapAndEndsAtMeasuredRates) {
    const RateInterval middle = interpolation_interval(100, 200, std::sqrt(20000.0));
    EXPECT_NEAR(middle.high / middle.low, std::exp(2 * 0.1 * std::log(2.0)), 1e-9);
    const RateInterval side = interpolation_interval(100, 200, 110);
    EXPECT_LT(side.high / side.low, middle.high / middle.low);
    EXPECT_EQ(interpolation_interval(100, 200, 100).low, 100);
    EXPECT_EQ(interpolation_interval(100, 200, 200).high, 200);
    EXPECT_EQ(interpolation_interval(100, 100, 100).high, 100);
}

} // namespace
} // namespace vmaf::tune
