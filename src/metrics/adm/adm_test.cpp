// `adm`: the values of adm.md 2, 3.7 and 6, and equality with a literal transcription of chapter 3.
#include "metrics/adm/adm.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "metrics/adm/adm_oracle.hpp"
#include "metrics/adm/csf.hpp"
#include "metrics/adm/plan.hpp"
#include "metrics/adm/rows.hpp"
#include "metrics/adm/sweep.hpp"
#include "metrics/adm/test_pictures.hpp"
#include "support/metric_run.hpp"

namespace vmaf::adm::adm_test {
namespace {

Options options_of(const OptionTexts &texts) { return read_options(OptionValues("adm", adm_metric.options, texts)); }

Plan plan_of(const PictureFormat &format, const OptionTexts &texts = {}) {
    return make_plan(options_of(texts), format);
}

FrameSums sums_of(const Plan &plan, const PicturePair &pair, const RowFunctions &functions, int parts = 1) {
    std::array<FrameSums, 1> sums{};
    const Plan *const alone[] = {&plan};
    for (int i = 0; i < parts; i++) {
        Sweep sweep(alone, functions, i, parts);
        if (plan.bits == 8)
            sweep.run(pair.ref.plane<std::uint8_t>(0), pair.dist.plane<std::uint8_t>(0), std::span<FrameSums>(sums));
        else
            sweep.run(pair.ref.plane<std::uint16_t>(0), pair.dist.plane<std::uint16_t>(0), std::span<FrameSums>(sums));
    }
    return sums[0];
}

TEST(AdmContrast, FactorsAreThoseOfTheSpecification) {
    const float r = samples_per_degree(3.0, 1080), far = samples_per_degree(4.5, 1080);
    constexpr float watson[2][4] = {{0.0173815377f, 0.0319848284f, 0.0433726609f, 0.0456734113f},
                                    {0.005890687f, 0.0142990677f, 0.0243969075f, 0.0313127376f}};
    constexpr float watson_far[2][4] = {{0.00836198684f, 0.0172412694f, 0.0261966437f, 0.0309098586f},
                                        {0.00255665369f, 0.00695373071f, 0.0132938055f, 0.019117875f}};
    constexpr float barten[4] = {1.21049654f, 5.0422225f, 14.6270647f, 26.9758816f};
    constexpr float native[2][4] = {{0.00544585148f, 0.166835055f, 0.667863488f, 0.986264586f},
                                    {0.000230553938f, 0.0407456607f, 0.389219612f, 0.877359927f}};
    for (int s = 0; s < 4; s++) {
        EXPECT_EQ(watson_factors(s, r).edges, watson[0][s]);
        EXPECT_EQ(watson_factors(s, r).diagonal, watson[1][s]);
        EXPECT_EQ(watson_factors(s, far).edges, watson_far[0][s]);
        EXPECT_EQ(watson_factors(s, far).diagonal, watson_far[1][s]);
        EXPECT_EQ(barten_factors(s, r, 1.0, 1.0).edges, barten[s]);
        EXPECT_EQ(native_factors(s, r).edges, native[0][s]);
        EXPECT_EQ(native_factors(s, r).diagonal, native[1][s]);
    }
    EXPECT_EQ(blended_factors(2, 3, 1.5, 2160).edges, 0.058621f);
    EXPECT_EQ(blended_factors(3, 0, 5.0, 720).diagonal, 0.003302f);
    EXPECT_EQ(blended_factors(2, 0, 3.5, 1080).edges, -22.0f);
}

TEST(AdmPlan, WeightsAreThoseOfTheSpecification) {
    using Weights = std::array<std::uint32_t, kBands>;
    const PictureFormat format = {PixelFormat::yuv420p, 8, 1920, 1080};
    const Plan usual = plan_of(format);
    EXPECT_EQ(usual.scale[0].weight, (Weights{36453, 36453, 49417}));
    EXPECT_EQ(usual.scale[1].weight, (Weights{137373792, 137373792, 61414028}));
    EXPECT_EQ(usual.scale[2].weight, (Weights{186284160, 186284160, 104783920}));
    EXPECT_EQ(usual.scale[3].weight, (Weights{196165808, 196165808, 134487184}));
    const Plan blended = plan_of(format, {{"adm_csf_mode", "2"}});
    EXPECT_EQ(blended.scale[0].weight, (Weights{24809, 24809, 36087}));
    EXPECT_EQ(blended.scale[3].weight, (Weights{251775280, 251775280, 154193616}));
    EXPECT_EQ(plan_of(format, {{"adm_norm_view_dist", "4.5"}}).scale[0].weight, (Weights{17536, 17536, 21446}));
}

TEST(AdmPlan, VectorRangesHoldForAllButLargeBartenWeights) {
    const PictureFormat format = {PixelFormat::yuv420p, 8, 1920, 1080};
    for (const OptionTexts &texts :
         {OptionTexts{}, OptionTexts{{"adm_csf_mode", "2"}}, OptionTexts{{"adm_csf_mode", "3"}},
          OptionTexts{{"adm_csf_mode", "2"}, {"adm_norm_view_dist", "5"}},
          OptionTexts{{"adm_csf_mode", "2"}, {"adm_norm_view_dist", "5"}, {"adm_ref_display_height", "720"}},
          OptionTexts{{"adm_norm_view_dist", "24"}}}) {
        const Plan plan = plan_of(format, texts);
        EXPECT_TRUE(fits_narrow(plan.scale[0]));
        for (int s = 1; s < 4; s++) EXPECT_TRUE(fits_vector(plan.scale[std::size_t(s)], s));
    }
    const Plan barten = plan_of(format, {{"adm_csf_mode", "1"}, {"adm_csf_scale", "0.1"}});
    EXPECT_FALSE(fits_vector(barten.scale[1], 1));
}

const ReferenceRow kReference[] = {
    {'A',
     {},
     {0.97998565873126553, 0.01336963395482535, 0.98330801238822008, 0.97965372222052693, 0.9631122834735345,
      0.98043853797983349, 0.98573129071509991}},
    {'A',
     {{"adm_enhn_gain_limit", "1"}},
     {0.97643523014495848, 0.013479054846979867, 0.98147808764898925, 0.97741927098344106, 0.95555526160460547,
      0.97746534566001786, 0.98284875973258456}},
    {'A',
     {{"adm_csf_mode", "2"}},
     {0.98199089099016057, 0.0089353294542308948, 0.98652778076796488, 0.98488169203831433, 0.96666111902345775,
      0.98049474843394835, 0.98581867458423322}},
    {'A',
     {{"adm_csf_mode", "3"}},
     {0.98204553146689566, 0.0097254839361276407, 0.98616002376538403, 0.98549351540127506, 0.96813272589329635,
      0.98092443042451938, 0.98573119874801551}},
    {'A',
     {{"adm_norm_view_dist", "4.5"}},
     {0.98379526780717208, 0.0093237088634231611, 0.98723577947187446, 0.98893251086250367, 0.9732928535167118,
      0.98255985753747854, 0.98642470909095969}},
    {'B',
     {},
     {1.1506867703247454, 0, 1.0753433851623728, 1.0465615833040702, 1.1115491394186505, 1.1637464972568459,
      1.1869271487759545}},
    {'B',
     {{"adm_enhn_gain_limit", "1"}},
     {0.94166103083705988, 0.0069987818900613145, 0.96733112447349923, 0.98389728739890869, 0.95341099210593794,
      0.93507963675162131, 0.92898282962715029}},
    {'B',
     {{"adm_csf_mode", "2"}},
     {1.1546742844693938, 0, 1.0773371422346969, 1.0345226562345935, 1.0996975812638867, 1.1634288815103839,
      1.1895588112746041}},
    {'B',
     {{"adm_csf_mode", "3"}},
     {1.1470568824143295, 0, 1.0735284412071646, 1.0331115112347806, 1.0948050790562063, 1.1580025558280609,
      1.1869272140234677}},
    {'B',
     {{"adm_norm_view_dist", "4.5"}},
     {1.1314709236646681, 0, 1.065735461832334, 1.025176960040427, 1.0803710185268907, 1.1460235702731218,
      1.1811116962170964}},
    {'C',
     {},
     {0.96747963734726661, 0, 0.98373981867363325, 0.96896492039767268, 0.96672886257938062, 0.96463518688840555,
      0.97049881203496802}},
    {'C',
     {{"adm_enhn_gain_limit", "1"}},
     {0.95914955410432645, 0, 0.97957477705216323, 0.96164237340816883, 0.95890548426796296, 0.95762690645536597,
      0.95810034149226098}},
    {'C',
     {{"adm_csf_mode", "2"}},
     {0.96835177159955521, 0, 0.98417588579977755, 0.97167991288698818, 0.96778610215102201, 0.96467560047112977,
      0.97014308247613446}},
    {'C',
     {{"adm_csf_mode", "3"}},
     {0.96885253713736963, 0, 0.98442626856868487, 0.97207618665520046, 0.96827328661135204, 0.96522270889666317,
      0.9704986866703682}},
    {'C',
     {{"adm_norm_view_dist", "4.5"}},
     {0.97075951380981373, 0, 0.98537975690490687, 0.97491701851678136, 0.97002568642952791, 0.96672737467678738,
      0.97180753958253452}},
};

TEST(Adm, GivesTheReferenceValues) {
    for (const ReferenceRow &row : kReference) {
        const PicturePair pair = reference_clip(row.clip);
        for (const Isa isa : usable_isas()) {
            const MetricScores scores = run_metric(adm_metric, row.options, {pair.ref}, {pair.dist}, isa);
            for (std::size_t i = 0; i < 7; i++)
                EXPECT_EQ(scores.at(std::string(adm_metric.provides[i]), 0), row.values[i])
                    << row.clip << " " << adm_metric.provides[i] << " " << to_string(isa);
        }
    }
}

TEST(Adm, GivesTheReferenceSums) {
    const PicturePair pair = reference_clip('A');
    const FrameSums expected = {{
        {{392150977810, 546655176788, 356614423281},
         {28010687106662, 36892064220783, 12607240158678},
         {897467441727, 989181180118, 69352303771}},
        {{13176702758880, 15087860748906, 3521879333232},
         {1500118256279, 1729067464562, 26396468076},
         {386865902, 277690958, 924185}},
        {{15091965874988, 5977176379480, 1528531752508}, {2379489720119, 942329371017, 38879632570}, {0, 0, 38}},
        {{15340644359038, 2676250499112, 510243068855}, {11458290003078, 2049847461177, 113102010799}, {0, 0, 0}},
    }};
    EXPECT_TRUE(sums_of(plan_of(pair.ref.format()), pair, scalar_rows()) == expected);
}

TEST(Adm, DebugAddsNumeratorsAndDenominators) {
    const PicturePair pair = reference_clip('A');
    EXPECT_EQ(run_metric(adm_metric, {}, {pair.ref}, {pair.dist}).frames.size(), 7u);
    const MetricScores scores = run_metric(adm_metric, {{"debug", "true"}}, {pair.ref}, {pair.dist});
    EXPECT_EQ(scores.frames.size(), adm_metric.provides.size());
    EXPECT_EQ(scores.at("integer_adm", 0), scores.at("VMAF_integer_feature_adm2_score", 0));
    EXPECT_EQ(scores.at("integer_adm_num_scale0", 0), 19.838996887207031);
    EXPECT_EQ(scores.at("integer_adm_den_scale3", 0), 67.471443176269531);
    EXPECT_EQ(scores.at("integer_adm_num", 0), 148.24342918395996);
    EXPECT_EQ(scores.at("integer_adm_den", 0), 151.27101898193359);
}

TEST(Adm, UnsupportedTableSettingsScoreNothingButTheLimitOfAdm3) {
    const PicturePair pair = reference_clip('A');
    const OptionTexts options = {{"adm_csf_mode", "2"}, {"adm_norm_view_dist", "4"}, {"adm_min_val", "0.25"}};
    const MetricScores scores = run_metric(adm_metric, options, {pair.ref}, {pair.dist});
    EXPECT_TRUE(std::isnan(scores.at("VMAF_integer_feature_adm2_score", 0)));
    EXPECT_TRUE(std::isnan(scores.at("VMAF_integer_feature_aim_score", 0)));
    EXPECT_EQ(scores.at("VMAF_integer_feature_adm3_score", 0), 0.25);
}

TEST(Adm, SkippedPartsCountAsNothing) {
    const PicturePair pair = reference_clip('A');
    const MetricScores without_aim = run_metric(adm_metric, {{"adm_skip_aim", "true"}}, {pair.ref}, {pair.dist});
    EXPECT_EQ(without_aim.at("VMAF_integer_feature_aim_score", 0), 0);
    EXPECT_EQ(without_aim.at("VMAF_integer_feature_adm2_score", 0), kReference[0].values[0]);
    const MetricScores coarse =
        run_metric(adm_metric, {{"adm_skip_scale0", "true"}, {"debug", "true"}}, {pair.ref}, {pair.dist});
    EXPECT_EQ(coarse.at("integer_adm_scale0", 0), 0);
    EXPECT_EQ(coarse.at("integer_adm_den_scale0", 0), double(1e-10f));
    EXPECT_EQ(coarse.at("integer_adm_scale3", 0), kReference[0].values[6]);
}

TEST(Adm, RefusesSmallPicturesAndShortDistances) {
    const auto sentence = [](const OptionTexts &options, unsigned width, unsigned height) -> std::string {
        const auto metric = adm_metric.create(OptionValues("adm", adm_metric.options, options));
        try {
            metric->prepare({PixelFormat::yuv420p, 8, width, height});
        } catch (const Error &e) {
            EXPECT_EQ(e.code(), EINVAL);
            return e.what();
        }
        return "";
    };
    EXPECT_NE(sentence({}, 16, 100).find("17x17"), std::string::npos);
    EXPECT_NE(sentence({}, 100, 16).find("17x17"), std::string::npos);
    EXPECT_EQ(sentence({}, 17, 17), "");
    EXPECT_NE(sentence({{"adm_norm_view_dist", "2.9"}}, 100, 100).find("3240"), std::string::npos);
    EXPECT_EQ(sentence({{"adm_norm_view_dist", "1.5"}, {"adm_ref_display_height", "2160"}}, 100, 100), "");
}

TEST(Adm, EqualsTheTranscriptionAtEverySmallSize) {
    for (int width = 17; width <= 70; width++) {
        const int height = 17 + (width * 7) % 54;
        const unsigned bits = 8u + unsigned(width) % 9;
        const PicturePair pair = random_pair(bits, width, height, unsigned(width));
        const Plan plan = plan_of(pair.ref.format());
        ASSERT_TRUE(sums_of(plan, pair, scalar_rows()) == Oracle::sums(plan, pair.ref, pair.dist))
            << width << "x" << height << " " << bits;
    }
}

TEST(Adm, EqualsTheTranscriptionForEveryOption) {
    const OptionTexts settings[] = {
        {{"adm_csf_mode", "1"}},
        {{"adm_csf_mode", "1"}, {"adm_csf_scale", "50"}, {"adm_csf_diag_scale", "0"}},
        {{"adm_csf_mode", "1"}, {"adm_csf_scale", "0.05"}, {"adm_csf_diag_scale", "0.001"}},
        {{"adm_csf_mode", "1"}, {"adm_csf_scale", "0.01"}, {"adm_csf_diag_scale", "0.003"}},
        {{"adm_csf_mode", "2"}, {"adm_enhn_gain_limit", "1"}},
        {{"adm_csf_mode", "3"}, {"adm_norm_view_dist", "5"}, {"adm_enhn_gain_limit", "1.2"}},
        {{"adm_csf_mode", "2"}, {"adm_norm_view_dist", "7"}},
        {{"adm_enhn_gain_limit", "33.3"}, {"adm_skip_aim", "true"}},
        {{"adm_enhn_gain_limit", "2"}, {"adm_skip_scale0", "true"}},
    };
    unsigned seed = 0;
    for (const OptionTexts &texts : settings)
        for (const int width : {75, 201}) {
            const PicturePair pair = random_pair(8 + 2 * (seed % 5), width, 61, seed);
            const Plan plan = plan_of(pair.ref.format(), texts);
            const FrameSums expected = Oracle::sums(plan, pair.ref, pair.dist);
            for (const Isa isa : usable_isas())
                EXPECT_TRUE(sums_of(plan, pair, rows_for(isa)) == expected) << seed << " " << to_string(isa);
            seed++;
        }
}

TEST(Adm, SplittingAFrameChangesNothing) {
    for (const unsigned bits : {8u, 10u}) {
        const PicturePair pair = random_pair(bits, 150, 260, 4 + bits);
        const Plan plan = plan_of(pair.ref.format());
        for (const Isa isa : usable_isas()) {
            const FrameSums whole = sums_of(plan, pair, rows_for(isa));
            for (const int parts : {2, 3, 7, 16})
                EXPECT_TRUE(sums_of(plan, pair, rows_for(isa), parts) == whole) << parts << " " << to_string(isa);
        }
    }
}

} // namespace
} // namespace vmaf::adm::adm_test
