#include <gtest/gtest.h>

#include "commands/fast.hpp"
#include "commands/predict.hpp"
#include "curves/bd_rate.hpp"
#include "stages/score.hpp"

namespace vmaf::tune {
namespace {

double line(double q) { return score_from_straight(-3 - 0.4 * (q - 20), true); }

TEST(ScoreCurve, FindsScoresAndQualitiesBetweenAndBesidePoints) {
    EXPECT_NEAR(score_from_straight(straightened(93.2, true), true), 93.2, 1e-9);
    EXPECT_EQ(straightened(41.5, false), 41.5);
    const ScoreCurve one({{28, line(28)}}, true, -0.4);
    EXPECT_NEAR(one.score_at(22), line(22), 1e-9);
    EXPECT_NEAR(*one.q_at(line(31), 10, 46), 31, 1e-6);
    EXPECT_FALSE(one.q_at(99.99, 20, 46));
    const ScoreCurve three({{30, line(30)}, {20, line(20)}, {24, line(24)}}, true, -0.4);
    EXPECT_NEAR(three.score_at(27), line(27), 1e-9);
    EXPECT_NEAR(three.score_at(35), line(35), 1e-9);
    ASSERT_TRUE(three.doubt());
    EXPECT_NEAR(three.doubt()->error, 0, 1e-9);
    EXPECT_FALSE(one.doubt());
}

TEST(ScoreCurve, IsLocatedWhereNearPointsEncloseTheTarget) {
    const auto curve = [](double a, double b) { return ScoreCurve({{a, line(a)}, {b, line(b)}}, true, -0.4); };
    EXPECT_TRUE(is_located(curve(24, 27), line(25), true));
    EXPECT_FALSE(is_located(curve(20, 30), line(25), true)); // too far apart
    EXPECT_FALSE(is_located(curve(20, 22), line(25), true)); // not enclosed
}

TEST(Conformal, TakesTheQuantileOfHeldOutResiduals) {
    EXPECT_FALSE(conformal_half_width({}, 0.1));
    EXPECT_DOUBLE_EQ(*conformal_half_width({2, -1, 3}, 0.01), 3); // few residuals: the largest
    std::vector<double> many;
    for (int i = 1; i <= 99; i++) many.push_back(i % 2 ? i : -i);
    EXPECT_DOUBLE_EQ(*conformal_half_width(many, 0.1), 1 + 98 * 90.0 / 99);
}

TEST(Verdict, DependsOnSizeAndSpreadOfResiduals) {
    EXPECT_EQ(judge({}, 1.5).verdict, PredictionVerdict::fall_back);
    EXPECT_EQ(judge({1.4, -1.5, 0}, 1.5).verdict, PredictionVerdict::reliable);
    const Judgement biased = judge({2, 3, 4}, 1.5);
    EXPECT_EQ(biased.verdict, PredictionVerdict::recalibrate);
    EXPECT_DOUBLE_EQ(biased.bias, 3);
    EXPECT_EQ(judge({-3, 3}, 1.5).verdict, PredictionVerdict::fall_back);
    EXPECT_EQ(judge({0.1, 3.2}, 1.5).verdict, PredictionVerdict::fall_back);
}

TEST(Validation, TakesShotsOfEveryQuarterByBitrate) {
    EXPECT_EQ(chosen_for_validation({5, 1, 3}, 8), (std::vector<std::size_t>{0, 1, 2}));
    std::vector<double> bitrates;
    for (int i = 0; i < 18; i++) bitrates.push_back(100 - i); // the last shot has the lowest
    // Quarters of 4, 4, 4 and 6; one from each, and the remaining two from the last.
    const std::vector<std::size_t> chosen = chosen_for_validation(bitrates, 6);
    EXPECT_EQ(chosen, (std::vector<std::size_t>{1, 3, 5, 9, 13, 17}));
}

TEST(Xpsnr, TheFigureOfAClipAveragesRoots) {
    // Clips 1 and 13 of the recorded figures.
    EXPECT_NEAR(
        pooled_metric("xpsnr", {39.25239329269474, 31.017351341282126, 30.949292165412693, 31.00289094553778}, "mean"),
        32.43661122706166, 1e-10);
    EXPECT_NEAR(pooled_metric("xpsnr", {kIdentical, 22.877747303553498, kIdentical, 22.539261638253507}, "mean"),
                28.72745565703195, 1e-10);
    EXPECT_EQ(pooled_metric("xpsnr", {kIdentical, kIdentical}, "mean"), kIdentical);
    EXPECT_EQ(pooled_metric("psnr", {30, 40}, "mean"), 35);
}

TEST(Spread, IsThatOfASample) {
    const Spread s = spread_of({1, 3, 8});
    EXPECT_DOUBLE_EQ(s.mean, 4);
    EXPECT_NEAR(s.deviation, std::sqrt(13), 1e-12);
    EXPECT_EQ(s.low, 1);
    EXPECT_EQ(s.high, 8);
    EXPECT_EQ(spread_of({}).count, 0u);
}

} // namespace
} // namespace vmaf::tune
