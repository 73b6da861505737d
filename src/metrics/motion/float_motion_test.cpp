#include "metrics/motion/float_motion.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/clip.hpp"
#include "support/metric_run.hpp"

namespace vmaf::float_motion_test {
namespace {

const std::string kMotion = "VMAF_feature_motion_score";
const std::string kMotion2 = "VMAF_feature_motion2_score";
const std::string kMotion3 = "VMAF_feature_motion3_score";

const std::vector<Picture> &check_clip() {
    static const std::vector<Picture> pictures = [] {
        clipgen::Options options;
        options.width = 175;
        options.height = 131;
        options.scene = "cut";
        options.seed = 4;
        std::vector<Picture> list;
        for (unsigned i = 0; i < 7; i++) list.push_back(clip_frame(options, i));
        return list;
    }();
    return pictures;
}

// motion.md 6
const std::vector<double> kCheck = {0,
                                    4.8878393173217773,
                                    5.1590838432312012,
                                    5.5762157440185547,
                                    6.2961163520812988,
                                    23.511224746704102,
                                    7.3922119140625};
const std::vector<double> kCheckUvScale1 = {0,
                                            23.608294010162354,
                                            25.785499095916748,
                                            28.109098434448242,
                                            33.238729476928711,
                                            96.920217514038086,
                                            39.50249195098877};

MetricScores score(const OptionTexts &options, std::size_t frames = 7) {
    const std::vector<Picture> &all = check_clip();
    return run_metric(float_motion_metric, options, {all.begin(), all.begin() + std::ptrdiff_t(frames)}, {});
}

TEST(FloatMotion, GivesTheCheckValuesOfTheSpecification) {
    for (const Isa isa : usable_isas()) {
        const MetricScores scores = run_metric(float_motion_metric, {}, check_clip(), {}, isa);
        const auto &d = kCheck;
        EXPECT_EQ(scores.series(kMotion), d) << to_string(isa);
        EXPECT_EQ(scores.series(kMotion2), (std::vector<double>{0, d[1], d[2], d[3], d[4], d[6], d[6]}));
        EXPECT_EQ(scores.series(kMotion3), (std::vector<double>{d[1], d[1], d[2], d[3], d[4], d[6], d[6]}));
    }
}

TEST(FloatMotion, GivesTheCheckValuesWithChromaAndHalfSize) {
    for (const Isa isa : usable_isas())
        EXPECT_EQ(run_metric(float_motion_metric, {{"motion_add_uv", "true"}, {"motion_add_scale1", "true"}},
                             check_clip(), {}, isa)
                      .series(kMotion),
                  kCheckUvScale1);
}

TEST(FloatMotion, GivesTheReferenceScoresWithThreeTapsAndHalfSize) {
    clipgen::Options options;
    options.width = 352;
    options.height = 288;
    const OptionTexts texts = {{"motion_add_scale1", "true"}, {"motion_filter_size", "3"}, {"motion_max_val", "50"}};
    EXPECT_EQ(
        run_metric(float_motion_metric, texts, {clip_frame(options, 0), clip_frame(options, 1)}, {}).at(kMotion, 1),
        11.372832298278809);
    options.depth = 10;
    EXPECT_EQ(run_metric(float_motion_metric, {}, {clip_frame(options, 0), clip_frame(options, 1)}, {}).at(kMotion, 1),
              5.04426383972168);
}

TEST(FloatMotion, WithoutDebugOnlyMotion2AndMotion3AreEmitted) {
    const MetricScores scores = score({{"debug", "false"}});
    EXPECT_EQ(scores.frames.size(), 2u);
    EXPECT_EQ(scores.series(kMotion2).size(), 7u);
}

TEST(FloatMotion, WeightMultipliesAndMaximumLimits) {
    const MetricScores scores = score({{"motion_fps_weight", "0.5"}, {"motion_max_val", "3"}});
    for (unsigned i = 0; i < 7; i++) EXPECT_EQ(scores.at(kMotion, i), std::min(kCheck[i] * 0.5, 3.0));
}

TEST(FloatMotion, BlendingCompressesMotion3Only) {
    const MetricScores scores = score({{"motion_blend_factor", "0.25"}, {"motion_blend_offset", "5"}});
    EXPECT_EQ(scores.at(kMotion2, 3), kCheck[3]);
    EXPECT_EQ(scores.at(kMotion3, 3), kCheck[3] * 0.25 + 0.75 * 5);
}

TEST(FloatMotion, ForceZeroMakesEveryScoreZero) {
    const MetricScores scores = score({{"motion_force_zero", "true"}});
    for (const std::string &name : {kMotion, kMotion2, kMotion3})
        EXPECT_EQ(scores.series(name), std::vector<double>(7, 0.0));
}

TEST(FloatMotion, ShortStreamsHaveScoresForEveryFrame) {
    EXPECT_EQ(score({}, 1).series(kMotion2), std::vector<double>{0});
    EXPECT_EQ(score({}, 1).series(kMotion3), std::vector<double>{0});
    EXPECT_EQ(score({}, 2).series(kMotion2), (std::vector<double>{0, kCheck[1]}));
    EXPECT_EQ(score({}, 2).series(kMotion3), (std::vector<double>{kCheck[1], kCheck[1]}));
}

TEST(FloatMotion, StripsDoNotChangeTheScore) {
    struct Threads final : Parallel {
        unsigned threads() const override { return 4; }
    } threads;
    EXPECT_EQ(run_metric(float_motion_metric, {}, check_clip(), {}, usable_isas().back(), threads).series(kMotion),
              kCheck);
}

TEST(FloatMotion, RefusesWhatItCannotScore) {
    const auto prepare = [](const OptionTexts &options, const PictureFormat &format) {
        float_motion_metric.create(OptionValues("float_motion", float_motion_metric.options, options))->prepare(format);
    };
    EXPECT_THROW(prepare({}, {PixelFormat::yuv420p, 8, 2, 8}), Error);
    EXPECT_THROW(prepare({{"motion_add_uv", "true"}}, {PixelFormat::yuv400p, 8, 16, 16}), Error);
    EXPECT_THROW(prepare({{"motion_add_uv", "true"}}, {PixelFormat::yuv420p, 8, 16, 5}), Error);
    EXPECT_THROW(prepare({{"motion_add_scale1", "true"}}, {PixelFormat::yuv420p, 8, 15361, 16}), Error);
    EXPECT_NO_THROW(prepare({{"motion_add_scale1", "true"}}, {PixelFormat::yuv420p, 8, 15360, 16}));
}

} // namespace
} // namespace vmaf::float_motion_test
