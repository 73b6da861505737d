// `float_adm`: the values of adm.md 6, and equality with a literal transcription of chapter 4.
#include "metrics/adm/float_adm.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "metrics/adm/float_adm_oracle.hpp"
#include "metrics/adm/float_sweep.hpp"
#include "metrics/adm/test_pictures.hpp"
#include "support/metric_run.hpp"

namespace vmaf::adm::float_adm_test {
namespace {

const ReferenceRow kReference[] = {
    {'A',
     {},
     {0.9799948938747719, 0.013368334558898931, 0.98331327965793647, 0.97964877283350971, 0.96318751491165289,
      0.98042154434191264, 0.98573771910034214}},
    {'A',
     {{"adm_csf_mode", "1"}},
     {0.97862103592538752, 0.0045288663989848359, 0.98704608476320133, 0.91973493981220233, 0.93014185303216401,
      0.97490672802280998, 0.98354850137439631}},
    {'A',
     {{"adm_csf_mode", "2"}},
     {0.9808549078618265, 0.0020863651835072131, 0.98938427133915963, 0.993342479175087, 0.94783341055425974,
      0.9768366285410699, 0.98400345614180174}},
    {'B',
     {},
     {1.1506767363671118, 0, 1.075338368183556, 1.0465615991279644, 1.1115281050777455, 1.1637381352071872,
      1.1869203819012037}},
    {'B',
     {{"adm_csf_mode", "1"}},
     {1.1998106253669132, 0, 1.0999053126834566, 1.1922181541852586, 1.1986012206912522, 1.1998277904729069,
      1.1999587276926864}},
    {'B',
     {{"adm_csf_mode", "2"}},
     {1.1963075293822418, 0, 1.098153764691121, 1.0154187178115253, 1.172002942397812, 1.1971325587897623,
      1.1993530943867203}},
    {'C',
     {},
     {0.96747434501078489, 0, 0.9837371725053925, 0.9689357209287367, 0.96673574765749637, 0.96463635202729603,
      0.97049947283405114}},
    {'C',
     {{"adm_csf_mode", "1"}},
     {0.96377284093702398, 0, 0.98188642046851204, 0.96035940170343903, 0.96209414678327365, 0.96101377551857747,
      0.96734683401853572}},
    {'C',
     {{"adm_csf_mode", "2"}},
     {0.96463309700059807, 0, 0.98231654850029904, 0.98073419291018804, 0.96318068639216703, 0.96137694750402325,
      0.96763788127759687}},
};

TEST(FloatAdm, EstimatesOfAllIntervalsAreTheRoundedReciprocalsOfTheirMiddles) {
    for (std::uint32_t i = 0; i < 2048; i++) {
        const double middle = 1 + (2 * i + 1) / 4096.0, exact = 8192 / middle;
        const float estimate = float(std::floor(exact + 0.5)) / 8192;
        for (const float scale : {1.0f, -0x1p-20f, 0x1p30f}) {
            const float x = std::bit_cast<float>(0x3f800000u | i << 12 | 0x123u) * scale, e = estimate / scale;
            EXPECT_EQ(refined_reciprocal(x), e + e * (1.0f - x * e)) << x;
        }
        const float quotient = 33554432.0f / float(2 * i + 4097); // what the vector code rounds
        EXPECT_EQ(std::max(std::nearbyint(quotient), 4097.0f), std::floor(exact + 0.5)) << i;
    }
}

TEST(FloatAdm, GivesTheReferenceValues) {
    for (const ReferenceRow &row : kReference) {
        const PicturePair pair = reference_clip(row.clip);
        const MetricScores scalar = run_metric(float_adm_metric, row.options, {pair.ref}, {pair.dist});
        for (std::size_t i = 0; i < 7; i++)
            EXPECT_NEAR(scalar.at(std::string(float_adm_metric.provides[i]), 0), row.values[i], 1e-15)
                << row.clip << " " << float_adm_metric.provides[i];
        for (const Isa isa : usable_isas())
            EXPECT_EQ(run_metric(float_adm_metric, row.options, {pair.ref}, {pair.dist}, isa).frames, scalar.frames)
                << row.clip << " " << to_string(isa);
    }
}

TEST(FloatAdm, DebugAddsNumeratorsAndDenominators) {
    const PicturePair pair = reference_clip('A');
    EXPECT_EQ(run_metric(float_adm_metric, {}, {pair.ref}, {pair.dist}).frames.size(), 7u);
    const MetricScores scores = run_metric(float_adm_metric, {{"debug", "true"}}, {pair.ref}, {pair.dist});
    EXPECT_EQ(scores.frames.size(), 18u);
    EXPECT_EQ(scores.at("adm", 0), scores.at("VMAF_feature_adm2_score", 0));
    EXPECT_EQ(scores.at("adm_num", 0) / scores.at("adm_den", 0), scores.at("adm", 0));
    EXPECT_EQ(scores.at("adm_num_scale2", 0) / scores.at("adm_den_scale2", 0),
              scores.at("VMAF_feature_adm_scale2_score", 0));
}

TEST(FloatAdm, OptionsOfTheCombination) {
    const PicturePair pair = reference_clip('A');
    const auto score = [&](const OptionTexts &options, const char *name) {
        return run_metric(float_adm_metric, options, {pair.ref}, {pair.dist}).at(name, 0);
    };
    const double adm2 = score({}, "VMAF_feature_adm2_score"), aim = score({}, "VMAF_feature_aim_score");
    EXPECT_EQ(score({{"adm_adm3_apply_hm", "true"}}, "VMAF_feature_adm3_score"), 2 * adm2 * aim / (adm2 + aim));
    EXPECT_EQ(score({{"adm_dlm_weight", "0.25"}}, "VMAF_feature_adm3_score"), adm2 * 0.25 + (1 - aim) * 0.75);
    EXPECT_EQ(score({{"adm_min_val", "1"}}, "VMAF_feature_adm3_score"), 1.0);
    EXPECT_LT(score({{"adm_skip_aim_scale", "0"}}, "VMAF_feature_aim_score"), aim);
    EXPECT_EQ(score({{"adm_skip_aim_scale", "0"}}, "VMAF_feature_adm2_score"), adm2);
    EXPECT_EQ(score({{"adm_skip_scale0", "true"}}, "VMAF_feature_adm_scale0_score"), 0.0);
    EXPECT_EQ(score({{"adm_csf_mode", "7"}}, "VMAF_feature_adm2_score"), adm2);
    EXPECT_NE(score({{"adm_f2s1", "0.5"}}, "VMAF_feature_adm_scale1_score"),
              score({}, "VMAF_feature_adm_scale1_score"));
    EXPECT_EQ(score({{"adm_f2s1", "0.5"}}, "VMAF_feature_adm_scale0_score"),
              score({}, "VMAF_feature_adm_scale0_score"));
    // Below the smallest distance for `adm`.
    EXPECT_GT(score({{"adm_norm_view_dist", "1"}}, "VMAF_feature_adm2_score"), 0.0);
}

TEST(FloatAdm, RefusesPicturesBelow17) {
    const auto metric = float_adm_metric.create(OptionValues("float_adm", float_adm_metric.options, OptionTexts{}));
    EXPECT_THROW(metric->prepare({PixelFormat::yuv420p, 8, 16, 100}), Error);
    EXPECT_THROW(metric->prepare({PixelFormat::yuv420p, 8, 100, 16}), Error);
    EXPECT_NO_THROW(metric->prepare({PixelFormat::yuv420p, 8, 17, 17}));
}

FloatPlan plan_of(const PictureFormat &format) {
    FloatPlan plan{.width = int(format.width),
                   .height = int(format.height),
                   .bits = int(format.bits),
                   .gain_limit = 100,
                   .exponent = 3};
    plan.factor = {{{0.0174f, 0.0174f, 0.0059f},
                    {0.032f, 0.032f, 0.0143f},
                    {0.0434f, 0.0434f, 0.0244f},
                    {0.0457f, 0.0457f, 0.0313f}}};
    return plan;
}

std::array<FloatOracle::Sums, kScales> sums_of(const FloatPlan &plan, const PicturePair &pair,
                                               const FloatRowFunctions &functions, int parts = 1) {
    FloatFrameSums rows = make_float_sums(plan.width, plan.height);
    for (int i = 0; i < parts; i++) {
        FloatSweep sweep(plan, functions, i, parts);
        if (plan.bits == 8)
            sweep.run(pair.ref.plane<std::uint8_t>(0), pair.dist.plane<std::uint8_t>(0), rows);
        else
            sweep.run(pair.ref.plane<std::uint16_t>(0), pair.dist.plane<std::uint16_t>(0), rows);
    }
    std::array<FloatOracle::Sums, kScales> sums{};
    for (std::size_t s = 0; s < kScales; s++)
        for (std::size_t b = 0; b < kBands; b++) {
            for (const auto &row : rows[s].den) sums[s].den[b] += row[b];
            for (const auto &row : rows[s].num) sums[s].num[b] += row[b];
            for (const auto &row : rows[s].aim) sums[s].aim[b] += row[b];
        }
    return sums;
}

TEST(FloatAdm, EqualsTheTranscriptionAtManySizes) {
    for (int width = 17; width <= 300; width += width < 80 ? 1 : 7) {
        const int height = 17 + (width * 7) % 54;
        const PicturePair pair = random_pair(8 + unsigned(width) % 9, width, height, unsigned(width));
        const FloatPlan plan = plan_of(pair.ref.format());
        const auto expected = FloatOracle::sums(plan, pair.ref, pair.dist);
        for (const Isa isa : usable_isas())
            ASSERT_EQ(sums_of(plan, pair, float_rows_for(isa)), expected)
                << width << "x" << height << " " << to_string(isa);
    }
}

TEST(FloatAdm, EqualsTheTranscriptionForEveryOption) {
    for (unsigned setting = 0; setting < 6; setting++) {
        const PicturePair pair = random_pair(8 + 2 * setting % 5, 131, 77, 40 + setting);
        FloatPlan plan = plan_of(pair.ref.format());
        if (setting == 0) plan.gain_limit = 1;
        if (setting == 1) plan.gain_limit = 1.2;
        if (setting == 2) plan.bypass_masking = true;
        if (setting == 3) plan.exponent = 2.5;
        if (setting == 4) plan.skip_scale0 = true;
        if (setting == 5) plan.gain_limit = 33.3;
        const auto expected = FloatOracle::sums(plan, pair.ref, pair.dist);
        for (const Isa isa : usable_isas())
            EXPECT_EQ(sums_of(plan, pair, float_rows_for(isa)), expected) << setting << " " << to_string(isa);
    }
}

TEST(FloatAdm, SplittingAFrameChangesNothing) {
    const PicturePair pair = random_pair(10, 150, 260, 14);
    const FloatPlan plan = plan_of(pair.ref.format());
    const auto whole = sums_of(plan, pair, scalar_float_rows());
    for (const int parts : {2, 3, 7, 16}) EXPECT_EQ(sums_of(plan, pair, scalar_float_rows(), parts), whole) << parts;
}

} // namespace
} // namespace vmaf::adm::float_adm_test
