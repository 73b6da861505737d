#include "metrics/moment/moment.hpp"

#include <gtest/gtest.h>

#include "support/clip.hpp"
#include "support/metric_run.hpp"

namespace vmaf::moment_test {
namespace {

Picture street(int depth, const std::string &distort) {
    clipgen::Options options;
    options.width = 352;
    options.height = 288;
    options.depth = depth;
    options.distort = distort;
    return clip_frame(options, 0);
}

void expect_moments(int depth, const std::vector<double> &expected) {
    for (const Isa isa : usable_isas()) {
        const MetricScores scores =
            run_metric(float_moment_metric, {}, {street(depth, "none")}, {street(depth, "dct:60")}, isa);
        EXPECT_EQ(scores.at("float_moment_ref1st", 0), expected[0]);
        EXPECT_EQ(scores.at("float_moment_dis1st", 0), expected[1]);
        EXPECT_EQ(scores.at("float_moment_ref2nd", 0), expected[2]);
        EXPECT_EQ(scores.at("float_moment_dis2nd", 0), expected[3]);
    }
}

TEST(FloatMoment, GivesTheReferenceScores) {
    expect_moments(8, {120.95348011363636, 120.94282670454545, 15477.013218118687, 15474.155934343435});
    expect_moments(10, {120.95373411852904, 120.93991921164773, 15476.998274369673, 15473.053023521346});
}

// 2100000 samples of 65535: the sum of squares exceeds 2^53, so the order of additions matters.
TEST(FloatMoment, LargeBrightPicturesKeepTheOrderOfAdditions) {
    constexpr int kWidth = 2100, kHeight = 1001;
    std::vector<std::uint16_t> samples(std::size_t(kWidth) * kHeight + 64);
    std::uint32_t random = 1;
    for (std::uint16_t &s : samples) {
        random = random * 1664525u + 1013904223u;
        s = std::uint16_t(65535 - (random >> 29));
    }
    const PlaneView<std::uint16_t> plane{samples.data(), kWidth, kWidth, kHeight};
    const moment::Sums expected = moment::plane_sums(plane, 16);
    EXPECT_GT(expected.second, 9007199254740992.0);
    for (const Isa isa : usable_isas()) {
        const moment::Sums sums = moment::pick_plane_sums<std::uint16_t>(isa)(plane, 16);
        EXPECT_EQ(sums.first, expected.first);
        EXPECT_EQ(sums.second, expected.second);
    }
}

} // namespace
} // namespace vmaf::moment_test
