#include "metrics/ansnr/ansnr.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "support/clip.hpp"
#include "support/metric_run.hpp"

namespace vmaf::ansnr_test {
namespace {

void expect_scores(int depth, unsigned frame, double ansnr, double anpsnr) {
    for (const Isa isa : usable_isas()) {
        const MetricScores scores = run_metric(float_ansnr_metric, {}, {street_frame(depth, frame, "none")},
                                               {street_frame(depth, frame, "dct:60")}, isa);
        EXPECT_EQ(scores.at("float_ansnr", 0), ansnr) << to_string(isa);
        EXPECT_EQ(scores.at("float_anpsnr", 0), anpsnr) << to_string(isa);
    }
}

TEST(FloatAnsnr, GivesTheReferenceScores) {
    expect_scores(8, 0, 22.980074188576296, 41.67624697979767);
    expect_scores(8, 1, 22.57985459699523, 41.27002414505355);
    expect_scores(10, 0, 23.00519530978916, 41.72688843497851);
}

TEST(FloatAnsnr, TapsAreQuotientsRoundedToSinglePrecision) {
    EXPECT_EQ(ansnr::kTaps[0][0], 0x1.cb18a8p-9f);
    EXPECT_EQ(ansnr::kTaps[1][1], 0x1.bcbfe4p-5f);
    EXPECT_EQ(ansnr::kTaps[2][2], 0x1.c78278p-3f);
}

TEST(FloatAnsnr, StripsDoNotChangeTheScore) {
    struct Threads final : Parallel {
        unsigned threads() const override { return 5; }
    } threads;
    const MetricScores scores = run_metric(float_ansnr_metric, {}, {street_frame(8, 0, "none")},
                                           {street_frame(8, 0, "dct:60")}, usable_isas().back(), threads);
    EXPECT_EQ(scores.at("float_ansnr", 0), 22.980074188576296);
}

TEST(FloatAnsnr, MidGreyHasNoSignal) {
    const Picture grey = Picture::allocate({PixelFormat::yuv400p, 8, 16, 16});
    for (unsigned y = 0; y < 16; y++) std::fill_n(grey.data(0) + y * grey.stride_bytes(0), 16, std::byte{128});
    const MetricScores scores = run_metric(float_ansnr_metric, {}, {grey}, {grey});
    EXPECT_EQ(scores.at("float_ansnr", 0), 60); // no noise: the ceiling
    EXPECT_EQ(scores.at("float_anpsnr", 0), 60);
}

TEST(FloatAnsnr, PicturesBelow3x3AreRefused) {
    const auto metric = float_ansnr_metric.create(OptionValues("float_ansnr", {}, {}));
    EXPECT_THROW(metric->prepare({PixelFormat::yuv420p, 8, 2, 8}), Error);
    EXPECT_THROW(metric->prepare({PixelFormat::yuv420p, 8, 8, 2}), Error);
    EXPECT_NO_THROW(metric->prepare({PixelFormat::yuv420p, 8, 3, 3}));
}

} // namespace
} // namespace vmaf::ansnr_test
