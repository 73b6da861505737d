// `psnr_hvs`: recorded reference scores, limits, degenerate sizes.
#include "metrics/psnr_hvs/psnr_hvs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "support/clip.hpp"
#include "support/metric_run.hpp"

namespace vmaf::psnr_hvs_test {
namespace {

MetricScores score(int width, int height, std::string format, int depth, std::string distortion) {
    clipgen::Options clip;
    clip.width = width;
    clip.height = height;
    clip.format = std::move(format);
    clip.depth = depth;
    const Picture ref = clip_frame(clip, 1);
    clip.distort = std::move(distortion);
    return run_metric(psnr_hvs_metric, {}, {ref}, {clip_frame(clip, 1)});
}

TEST(PsnrHvs, GivesTheRecordedScores) {
    const auto eight = score(352, 288, "420", 8, "dct:60");
    EXPECT_EQ(eight.at("psnr_hvs_y", 0), 35.872694037843175);
    EXPECT_EQ(eight.at("psnr_hvs_cb", 0), 38.89835272468743);
    EXPECT_EQ(eight.at("psnr_hvs_cr", 0), 38.23378558672987);
    EXPECT_EQ(eight.at("psnr_hvs", 0), 36.29238402692549);
    const auto ten = score(175, 131, "444", 10, "dct:60");
    EXPECT_EQ(ten.at("psnr_hvs_y", 0), 36.1119307612286);
    EXPECT_EQ(ten.at("psnr_hvs_cb", 0), 38.80360535643929);
    EXPECT_EQ(ten.at("psnr_hvs_cr", 0), 38.478599605876916);
    EXPECT_EQ(ten.at("psnr_hvs", 0), 36.51296556836678);
}

TEST(PsnrHvs, EqualPicturesScoreInfinity) {
    for (const auto &[name, values] : score(64, 48, "422", 12, "none").frames)
        EXPECT_EQ(values.at(0), INFINITY) << name;
}

TEST(PsnrHvs, APlaneWithoutABlockScoresNan) {
    const auto scores = score(14, 14, "420", 8, "none"); // chroma is 7x7
    EXPECT_EQ(scores.at("psnr_hvs_y", 0), INFINITY);
    EXPECT_TRUE(std::isnan(scores.at("psnr_hvs_cb", 0)));
    EXPECT_TRUE(std::isnan(scores.at("psnr_hvs", 0)));
}

TEST(PsnrHvs, MoreThan12BitsAndMissingChromaAreRefused) {
    const auto metric = psnr_hvs_metric.create(OptionValues("psnr_hvs", {}, {}));
    EXPECT_THROW(metric->prepare({PixelFormat::yuv420p, 13, 64, 64}), Error);
    EXPECT_THROW(metric->prepare({PixelFormat::yuv420p, 16, 64, 64}), Error);
    EXPECT_THROW(metric->prepare({PixelFormat::yuv400p, 8, 64, 64}), Error);
    for (unsigned bits = 8; bits <= 12; bits++) EXPECT_NO_THROW(metric->prepare({PixelFormat::yuv420p, bits, 64, 64}));
}

} // namespace
} // namespace vmaf::psnr_hvs_test
