// `ssim`, the metric with integer moments.
#include "metrics/ssim/ssim.hpp"

#include <gtest/gtest.h>

#include "support/clip.hpp"
#include "support/metric_run.hpp"

namespace vmaf::ssim_test {
namespace {

double score(clipgen::Options clip, unsigned frame) {
    const std::string distortion = std::exchange(clip.distort, "none");
    const Picture ref = clip_frame(clip, frame);
    clip.distort = distortion;
    return run_metric(ssim_metric, {}, {ref}, {clip_frame(clip, frame)}).at("ssim", 0);
}

clipgen::Options clip(int width, int height, std::string format, int depth, std::string scene, std::string distortion) {
    clipgen::Options options;
    options.width = width;
    options.height = height;
    options.format = std::move(format);
    options.depth = depth;
    options.scene = std::move(scene);
    options.distort = std::move(distortion);
    return options;
}

TEST(Ssim, GivesTheRecordedScores) {
    EXPECT_EQ(score(clip(352, 288, "420", 8, "street", "dct:24"), 1), 0.94127103004582879);
    EXPECT_EQ(score(clip(192, 184, "420", 10, "street", "dct:16"), 1), 0.96291714364353331);
    EXPECT_EQ(score(clip(178, 180, "422", 8, "street", "dct:40"), 0), 0.90539741762035164);
}

TEST(Ssim, SquaredPeakOf16BitsWrapsAround) {
    EXPECT_EQ(score(clip(192, 180, "420", 16, "street", "dct:30"), 0), 0.7717265286881656);
    EXPECT_EQ(score(clip(184, 178, "422", 16, "noise", "blur:3"), 0), 0.010862167225131223);
}

TEST(Ssim, EqualPicturesScoreOneAtEverySizeAndDepth) {
    for (int depth = 8; depth <= 16; depth++)
        for (int size : {1, 3, 8, 9, 20})
            EXPECT_EQ(score(clip(size, 21 - size, "400", depth, "noise", "none"), 0), 1.0) << depth << " " << size;
}

} // namespace
} // namespace vmaf::ssim_test
