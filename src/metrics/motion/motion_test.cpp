#include "metrics/motion/motion.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "metrics/registry.hpp"
#include "support/clip.hpp"
#include "support/metric_run.hpp"

namespace vmaf::motion_test {
namespace {

const std::string kSad = "VMAF_integer_feature_motion_sad_score";
const std::string kDebug = "VMAF_integer_feature_motion_score";
const std::string kMotion2 = "VMAF_integer_feature_motion2_score";
const std::string kMotion3 = "VMAF_integer_feature_motion3_score";

std::vector<Picture> clip(unsigned frames, const clipgen::Options &options) {
    std::vector<Picture> pictures;
    for (unsigned i = 0; i < frames; i++) pictures.push_back(clip_frame(options, i));
    return pictures;
}

clipgen::Options cut_scene(int depth, unsigned seed) {
    clipgen::Options options;
    options.width = 175;
    options.height = 131;
    options.depth = depth;
    options.scene = "cut";
    options.seed = seed;
    return options;
}

const std::vector<Picture> &check_clip() {
    static const std::vector<Picture> pictures = clip(7, cut_scene(8, 4));
    return pictures;
}

// motion.md 6
const std::vector<double> kCheck = {0,
                                    4.8878288576881133,
                                    5.1590979416575786,
                                    5.5762058683206108,
                                    6.2961077221919304,
                                    23.511209787350055,
                                    7.392206413576881};

MetricScores score(const OptionTexts &options, std::size_t frames = 7) {
    const std::vector<Picture> &all = check_clip();
    return run_metric(motion_metric, options, {all.begin(), all.begin() + std::ptrdiff_t(frames)}, {});
}

TEST(Motion, GivesTheCheckValuesOfTheSpecification) {
    const MetricScores scores = score({});
    const auto &s = kCheck;
    EXPECT_EQ(scores.series(kSad), s);
    EXPECT_EQ(scores.series(kMotion2), (std::vector<double>{0, s[1], s[2], s[3], s[4], s[6], s[6]}));
    EXPECT_EQ(scores.series(kMotion3), (std::vector<double>{s[1], s[1], s[2], s[3], s[4], s[6], s[6]}));
    EXPECT_FALSE(scores.frames.contains(kDebug));
}

TEST(Motion, GivesTheCheckValuesAt12Bits) {
    const MetricScores scores = run_metric(motion_metric, {}, clip(5, cut_scene(12, 3)), {});
    EXPECT_EQ(scores.series(kSad),
              (std::vector<double>{0, 5.4977095828789535, 5.6721605779716464, 6.0502472396401306, 6.8474464967284625}));
}

TEST(Motion, DebugRepeatsTheFrameScores) {
    const MetricScores scores = score({{"debug", "true"}});
    EXPECT_EQ(scores.series(kDebug), kCheck);
}

TEST(Motion, WeightMultipliesAndMaximumLimits) {
    const MetricScores scores = score({{"motion_fps_weight", "0.5"}, {"motion_max_val", "3"}});
    for (unsigned i = 0; i < 7; i++) EXPECT_EQ(scores.at(kSad, i), std::min(kCheck[i] * 0.5, 3.0));
}

TEST(Motion, BlendingCompressesMotion3Only) {
    const MetricScores scores = score({{"motion_blend_factor", "0.25"}, {"motion_blend_offset", "5"}});
    EXPECT_EQ(scores.at(kMotion2, 3), kCheck[3]);
    EXPECT_EQ(scores.at(kMotion3, 3), kCheck[3] * 0.25 + 0.75 * 5);
    EXPECT_EQ(scores.at(kMotion3, 1), kCheck[1] * 0.25 + 0.75 * kCheck[1]);
}

TEST(Motion, FiveFrameWindowComparesWithTheFrameBeforeThePrevious) {
    const MetricScores scores = score({{"motion_five_frame_window", "true"}});
    const std::vector<double> s = scores.series(kSad), motion2 = scores.series(kMotion2);
    EXPECT_EQ(s[0], 0);
    EXPECT_EQ(s[1], 0);
    const std::vector<Picture> &all = check_clip();
    EXPECT_EQ(s[2], score({}, 1).at(kSad, 0) + run_metric(motion_metric, {}, {all[0], all[2]}, {}).at(kSad, 1));
    EXPECT_EQ(motion2, (std::vector<double>{0, 0, s[3], std::min(s[2], s[4]), std::min(s[3], s[5]),
                                            std::min(s[4], s[6]), s[6]}));
    EXPECT_EQ(scores.at(kMotion3, 0), s[2]);
    EXPECT_EQ(scores.at(kMotion3, 1), s[2]);
    EXPECT_EQ(scores.at(kMotion3, 2), motion2[2]);
}

TEST(Motion, MovingAverageIsTheMeanOfTwoSuccessiveValues) {
    const std::vector<double> plain = score({}).series(kMotion3);
    const std::vector<double> averaged = score({{"motion_moving_average", "true"}}).series(kMotion3);
    EXPECT_EQ(averaged[0], plain[0]);
    for (unsigned i = 1; i < 7; i++) EXPECT_EQ(averaged[i], (plain[i] + plain[i - 1]) / 2);
}

TEST(Motion, ForceZeroMakesEveryScoreZero) {
    const MetricScores scores = score({{"motion_force_zero", "true"}, {"debug", "true"}});
    for (const std::string &name : {kSad, kDebug, kMotion2, kMotion3})
        EXPECT_EQ(scores.series(name), std::vector<double>(7, 0.0));
}

TEST(Motion, ShortStreamsHaveScoresForEveryFrame) {
    EXPECT_EQ(score({}, 1).series(kMotion3), std::vector<double>{0});
    EXPECT_EQ(score({}, 2).series(kMotion2), (std::vector<double>{0, kCheck[1]}));
    EXPECT_EQ(score({}, 2).series(kMotion3), (std::vector<double>{kCheck[1], kCheck[1]}));
    EXPECT_EQ(score({{"motion_five_frame_window", "true"}}, 2).series(kMotion3), (std::vector<double>{0, 0}));
}

TEST(Motion, EndOfStreamScoresStopAtTheFirstGap) {
    struct Sink final : ScoreSink {
        std::map<std::string, unsigned> count;
        void score(std::string_view name, unsigned, double) override { count[std::string(name)]++; }
        void aggregate(std::string_view, double) override {}
    } sink;
    const auto metric = motion_metric.create(OptionValues("motion", motion_metric.options, {}));
    metric->prepare(check_clip()[0].format());
    for (const unsigned index : {0u, 2u, 4u}) metric->emit(index, {}, sink);
    metric->flush(sink);
    EXPECT_EQ(sink.count[kSad], 3u);
    EXPECT_EQ(sink.count[kMotion2], 1u);
    EXPECT_EQ(sink.count[kMotion3], 1u);
}

TEST(Motion, AFrameWithoutItsEarlierPictureIsRefused) {
    const auto metric = motion_metric.create(OptionValues("motion", motion_metric.options, {}));
    metric->prepare(check_clip()[0].format());
    Parallel parallel;
    const FrameInput frame{1, check_clip()[1], check_clip()[1], {}, {}, parallel};
    FrameResult result;
    EXPECT_THROW(metric->make_scorer(Isa::scalar)->measure(frame, result), Error);
}

TEST(Motion, PicturesBelow3x3AreRefused) {
    for (const MetricInfo *info : {&motion_metric, &motion_v2_metric})
        for (const auto &[w, h] : {std::pair{2u, 3u}, {3u, 2u}}) {
            const auto metric = info->create(OptionValues(info->name, info->options, {}));
            EXPECT_THROW(metric->prepare({PixelFormat::yuv420p, 8, w, h}), Error);
        }
    const Picture smallest = Picture::allocate({PixelFormat::yuv444p, 16, 3, 3});
    EXPECT_EQ(run_metric(motion_metric, {}, {smallest, smallest}, {}).at(kSad, 1), 0);
}

TEST(Motion, StripsDoNotChangeTheSum) {
    struct Threads final : Parallel {
        unsigned threads() const override { return 4; }
    } threads;
    EXPECT_EQ(run_metric(motion_metric, {}, check_clip(), {}, Isa::scalar, threads).series(kSad), kCheck);
}

TEST(MotionV2, HasTheScoresOfMotionUnderItsOwnNames) {
    const MetricScores scores = run_metric(motion_v2_metric, {}, check_clip(), {});
    EXPECT_EQ(scores.series("VMAF_integer_feature_motion_v2_sad_score"), kCheck);
    EXPECT_EQ(scores.series("VMAF_integer_feature_motion2_v2_score"), score({}).series(kMotion2));
    EXPECT_EQ(scores.series("VMAF_integer_feature_motion3_v2_score"), score({}).series(kMotion3));
    EXPECT_EQ(scores.frames.size(), 3u);
    EXPECT_EQ(find_metric("motion_v2"), &motion_v2_metric);
}

TEST(MotionV2, RefusesTheFiveFrameWindow) {
    EXPECT_THROW(motion_v2_metric.create(
                     OptionValues("motion_v2", motion_v2_metric.options, {{"motion_five_frame_window", "true"}})),
                 Error);
}

} // namespace
} // namespace vmaf::motion_test
