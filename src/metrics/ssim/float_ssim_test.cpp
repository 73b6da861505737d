// `float_ssim` and `float_ms_ssim`: recorded reference scores, options, limits, degenerate sizes.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "metrics/registry.hpp"
#include "metrics/ssim/float_ms_ssim.hpp"
#include "metrics/ssim/float_ssim.hpp"
#include "support/clip.hpp"
#include "support/metric_run.hpp"

namespace vmaf::float_ssim_test {
namespace {

MetricScores score(const MetricInfo &metric, clipgen::Options clip, unsigned frame, const OptionTexts &options = {}) {
    const std::string distortion = std::exchange(clip.distort, "none");
    const Picture ref = clip_frame(clip, frame);
    clip.distort = distortion;
    return run_metric(metric, options, {ref}, {clip_frame(clip, frame)});
}

clipgen::Options street(int width, int height, std::string format, int depth, std::string distortion) {
    clipgen::Options clip;
    clip.width = width;
    clip.height = height;
    clip.format = std::move(format);
    clip.depth = depth;
    clip.distort = std::move(distortion);
    return clip;
}

MetricScores score_flat(const MetricInfo &metric, unsigned width, unsigned height) {
    const Picture picture = Picture::allocate({PixelFormat::yuv420p, 8, width, height});
    return run_metric(metric, {}, {picture}, {picture});
}

TEST(FloatSsim, GivesTheRecordedScores) {
    const auto lcs = score(float_ssim_metric, street(352, 288, "420", 8, "dct:60"), 1, {{"enable_lcs", "true"}});
    EXPECT_EQ(lcs.at("float_ssim", 0), 0.8737469911575317);
    EXPECT_EQ(lcs.at("float_ssim_l", 0), 0.9999570250511169);
    EXPECT_EQ(lcs.at("float_ssim_c", 0), 0.9849168658256531);
    EXPECT_EQ(lcs.at("float_ssim_s", 0), 0.8870394229888916);
    const auto ten_bits = score(float_ssim_metric, street(352, 288, "420", 10, "dct:60"), 2);
    EXPECT_EQ(ten_bits.at("float_ssim", 0), 0.8733956217765808);
    EXPECT_FALSE(ten_bits.frames.contains("float_ssim_l"));
}

TEST(FloatSsim, ReducesByWholeFactorsWithAnExtraSampleForOddSizes) {
    const auto three =
        score(float_ssim_metric, street(178, 180, "422", 8, "dct:40"), 0, {{"scale", "3"}, {"enable_lcs", "true"}});
    EXPECT_EQ(three.at("float_ssim", 0), 0.98541569709777832);
    EXPECT_EQ(three.at("float_ssim_l", 0), 0.99999874830245972);
    EXPECT_EQ(three.at("float_ssim_c", 0), 0.99966895580291748);
    EXPECT_EQ(three.at("float_ssim_s", 0), 0.98574209213256836);
    const auto two = score(float_ssim_metric, street(192, 184, "420", 10, "dct:16"), 1, {{"scale", "2"}});
    EXPECT_EQ(two.at("float_ssim", 0), 0.98996144533157349);
    const auto odd =
        score(float_ssim_metric, street(177, 191, "444", 8, "blur:2"), 0, {{"scale", "3"}, {"enable_db", "true"}});
    EXPECT_EQ(odd.at("float_ssim", 0), 15.820664640617858);
}

TEST(FloatSsim, DecibelsAreInfiniteForEqualPicturesUnlessClipped) {
    const auto clip = street(352, 288, "420", 8, "none");
    EXPECT_EQ(score(float_ssim_metric, clip, 1, {{"enable_db", "true"}, {"clip_db", "true"}}).at("float_ssim", 0), 102);
    EXPECT_EQ(score(float_ssim_metric, clip, 1, {{"enable_db", "true"}}).at("float_ssim", 0), INFINITY);
    EXPECT_EQ(score(float_ssim_metric, clip, 1, {{"clip_db", "true"}}).at("float_ssim", 0), 1);
}

TEST(FloatSsim, PicturesWithoutAWholeWindowScoreNanOrZero) {
    EXPECT_TRUE(std::isnan(score_flat(float_ssim_metric, 10, 30).at("float_ssim", 0)));
    const double one_side = score_flat(float_ssim_metric, 9, 30).at("float_ssim", 0);
    EXPECT_TRUE(one_side == 0 && std::signbit(one_side));
    const double both_sides = score_flat(float_ssim_metric, 2, 3).at("float_ssim", 0);
    EXPECT_TRUE(both_sides == 0 && !std::signbit(both_sides));
}

TEST(FloatSsim, LumaAloneIsEnough) {
    const auto grey = score(float_ssim_metric, street(352, 288, "400", 8, "dct:60"), 1);
    EXPECT_EQ(grey.at("float_ssim", 0), 0.8737469911575317);
}

TEST(FloatSsim, DepthsThatVideoDoesNotHaveAreRefused) {
    for (const MetricInfo *info : {&float_ssim_metric, &float_ms_ssim_metric}) {
        const auto metric = info->create(OptionValues(info->name, info->options, {}));
        for (unsigned bits : {9u, 11u, 13u, 14u, 15u})
            EXPECT_THROW(metric->prepare({PixelFormat::yuv420p, bits, 352, 288}), Error) << bits;
        for (unsigned bits : {8u, 10u, 12u, 16u})
            EXPECT_NO_THROW(metric->prepare({PixelFormat::yuv420p, bits, 352, 288})) << bits;
    }
}

TEST(FloatSsim, ScaleBeyondTenIsRefused) {
    for (const char *text : {"11", "-1", "x", ""})
        EXPECT_THROW(OptionValues("float_ssim", float_ssim_metric.options, {{"scale", text}}), Error) << text;
}

TEST(FloatMsSsim, GivesTheRecordedScores) {
    const auto lcs = score(float_ms_ssim_metric, street(352, 288, "420", 8, "dct:60"), 1, {{"enable_lcs", "true"}});
    EXPECT_EQ(lcs.at("float_ms_ssim", 0), 0.9751326601667927);
    EXPECT_EQ(lcs.at("float_ms_ssim_l_scale0", 0), 0.9999570250511169);
    EXPECT_EQ(lcs.at("float_ms_ssim_l_scale4", 0), 0.9999996423721313);
    EXPECT_EQ(lcs.at("float_ms_ssim_c_scale1", 0), 0.9982349276542664);
    EXPECT_EQ(lcs.at("float_ms_ssim_c_scale4", 0), 0.9999935030937195);
    EXPECT_EQ(lcs.at("float_ms_ssim_s_scale2", 0), 0.9863744974136353);
    EXPECT_EQ(lcs.at("float_ms_ssim_s_scale3", 0), 0.9983102679252625);
    const auto plain = score(float_ms_ssim_metric, street(352, 288, "420", 8, "dct:60"), 1);
    EXPECT_EQ(plain.at("float_ms_ssim", 0), 0.9751326601667927);
    EXPECT_EQ(plain.frames.size(), 1u);
    const auto odd = score(float_ms_ssim_metric, street(201, 187, "444", 10, "dct:60"), 1);
    EXPECT_EQ(odd.at("float_ms_ssim", 0), 0.9753139251898);
}

TEST(FloatMsSsim, SidesBelow176AreRefusedWithASentence) {
    const auto metric = float_ms_ssim_metric.create(OptionValues("float_ms_ssim", float_ms_ssim_metric.options, {}));
    EXPECT_NO_THROW(metric->prepare({PixelFormat::yuv420p, 8, 176, 176}));
    try {
        metric->prepare({PixelFormat::yuv420p, 8, 175, 300});
        FAIL();
    } catch (const Error &e) {
        EXPECT_NE(std::string(e.what()).find("float_ms_ssim"), std::string::npos);
        EXPECT_NE(std::string(e.what()).find("176x176"), std::string::npos);
    }
}

TEST(FloatMsSsim, IsFoundByModelsUnderItsName) {
    EXPECT_EQ(provider_of("float_ms_ssim"), &float_ms_ssim_metric);
    EXPECT_EQ(provider_of("float_ssim"), &float_ssim_metric);
}

} // namespace
} // namespace vmaf::float_ssim_test
