// `float_vif`: the vectors of vif.md 4 to the last bit, options, and independence of the number of strips.
#include "metrics/vif/float_vif.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/error.hpp"
#include "support/luma_pair.hpp"
#include "support/metric_run.hpp"

namespace vmaf::float_vif_test {
namespace {

LumaPair random_pair(unsigned bits, unsigned width, unsigned height) {
    std::mt19937 random(width);
    LumaPair pair(bits, int(width), int(height));
    for (int y = 0; y < int(height); y++)
        for (int x = 0; x < int(width); x++) {
            const int r = int(random() % 64) + (x + y) % 128;
            set_sample(pair.ref, y, x, r << (bits - 8));
            set_sample(pair.dist, y, x, ((r * 3 + int(random() % 32)) / 4) << (bits - 8));
        }
    return pair;
}

std::vector<double> values(const LumaPair &pair, const std::string &stem, const OptionTexts &options = {}) {
    const MetricScores scores = run_metric(float_vif_metric, options, {pair.ref}, {pair.dist});
    std::vector<double> list;
    for (int s = 0; s < 4; s++) {
        const std::string scale = "scale" + std::to_string(s);
        list.push_back(scores.at(stem.empty() ? "VMAF_feature_vif_" + scale + "_score" : stem + scale, 0));
    }
    return list;
}

using List = std::vector<double>;

TEST(FloatVif, GivesTheBitsOfTheTestVectors) {
    EXPECT_EQ(values(vif_vector_pair(8), ""),
              (List{0.85959900984255366, 0.81812688052916094, 0.75986843551318883, 0.77825126636131525}));
    EXPECT_EQ(values(vif_vector_pair(8), "vif_num_", {{"debug", "true"}}),
              (List{9884.9697265625, 859.43499755859375, 129.23970031738281, 20.761848449707031}));
    EXPECT_EQ(values(vif_vector_pair(8), "vif_den_", {{"debug", "true"}}),
              (List{11499.5126953125, 1050.4910888671875, 170.08168029785156, 26.67756462097168}));
    EXPECT_EQ(values(vif_vector_pair(10), ""),
              (List{0.86338996618436137, 0.80495429609502112, 0.75889110898521761, 0.78491176960165476}));
}

TEST(FloatVif, GainLimitTakesTheCreditForEnhancement) {
    LumaPair pair = vif_vector_pair(8);
    std::swap(pair.ref, pair.dist);
    EXPECT_EQ(values(pair, ""), (List{0.9674496220162917, 1.2219121676163816, 1.3159205101983231, 1.2399783018374837}));
    EXPECT_EQ(values(pair, "", {{"vif_enhn_gain_limit", "1"}}),
              (List{0.88906713950502181, 0.99979052496857168, 0.99995844213740592, 0.99997187006364985}));
}

TEST(FloatVif, SkippingScale0LeavesTheOtherScalesAlone) {
    const LumaPair pair = random_pair(8, 61, 45);
    const List all = values(pair, ""), some = values(pair, "", {{"vif_skip_scale0", "true"}});
    EXPECT_EQ(some[0], 0.0);
    EXPECT_EQ(List(some.begin() + 1, some.end()), List(all.begin() + 1, all.end()));
    const OptionTexts options = {{"vif_skip_scale0", "true"}, {"debug", "true"}};
    EXPECT_EQ(values(pair, "vif_den_", options)[0], -1.0);
    const MetricScores scores = run_metric(float_vif_metric, options, {pair.ref}, {pair.dist});
    const List num = values(pair, "vif_num_", options);
    EXPECT_EQ(scores.at("vif_num", 0), num[1] + num[2] + num[3]);
}

TEST(FloatVif, MinimumValuesAreFloorsOfTheirScales) {
    const List got = values(vif_vector_pair(8), "", {{"vif_scale1_min_val", "0.9"}, {"vif_scale2_min_val", "0.5"}});
    EXPECT_EQ(got[1], 0.9);
    EXPECT_EQ(got[2], 0.75986843551318883);
}

TEST(FloatVif, ZeroNoiseCountsFlatReferencePixelsAsTheNotANumberTheyAre) {
    LumaPair pair(8, 32, 32);
    // 0 / 0 passes through the logarithm: 128 + p(0.5) per pixel (3.8); numerators are log2(1 + 0 / 1e-10) = 0.
    const List den = values(pair, "vif_den_", {{"debug", "true"}, {"vif_sigma_nsq", "0"}});
    EXPECT_NEAR(den[3], 16 * 128.585, 0.1);
    EXPECT_EQ(values(pair, "", {{"vif_sigma_nsq", "0"}})[2], 0.0);
}

TEST(FloatVif, StripsDoNotChangeTheScores) {
    const LumaPair pair = random_pair(10, 77, 210);
    for (const OptionTexts &options :
         {OptionTexts{}, {{"vif_kernelscale", "2"}}, {{"vif_prescale", "1.5"}, {"vif_prescale_method", "bicubic"}}}) {
        const MetricScores whole = run_metric(float_vif_metric, options, {pair.ref}, {pair.dist});
        for (unsigned count : {2u, 5u, 100u}) {
            BackwardParts threads(count);
            const MetricScores split =
                run_metric(float_vif_metric, options, {pair.ref}, {pair.dist}, Isa::scalar, threads);
            EXPECT_EQ(split.frames, whole.frames);
        }
    }
}

TEST(FloatVif, VectorCodeGivesTheSameBits) {
    for (Isa isa : usable_isas())
        for (const auto &[width, height] : {std::pair(177u, 35u), {16u, 16u}, {2051u, 33u}, {1025u, 18u}})
            for (const OptionTexts &options :
                 {OptionTexts{{"debug", "true"}},
                  {{"debug", "true"}, {"vif_kernelscale", "0.5"}, {"vif_sigma_nsq", "0"}},
                  {{"vif_kernelscale", "0.7407"}, {"vif_sigma_nsq", "1.3"}, {"vif_enhn_gain_limit", "1"}},
                  {{"vif_prescale", "2.1"}, {"vif_kernelscale", "1.5"}, {"vif_skip_scale0", "true"}}})
                for (unsigned bits : {8u, 12u}) {
                    const LumaPair pair = random_pair(bits, width, height);
                    const MetricScores scalar = run_metric(float_vif_metric, options, {pair.ref}, {pair.dist});
                    const MetricScores vector = run_metric(float_vif_metric, options, {pair.ref}, {pair.dist}, isa);
                    EXPECT_EQ(vector.frames, scalar.frames) << to_string(isa) << " " << width << "x" << height;
                }
}

TEST(FloatVif, PrescaleOfOneIsNoPrescale) {
    const LumaPair pair = random_pair(8, 40, 40);
    EXPECT_EQ(values(pair, "", {{"vif_prescale", "1.001"}, {"vif_prescale_method", "lanczos4"}}), values(pair, ""));
    EXPECT_NE(values(pair, "", {{"vif_prescale", "0.5"}}), values(pair, ""));
}

TEST(FloatVif, RefusesWhatItCannotScore) {
    const auto refusal = [](const OptionTexts &options, unsigned width, unsigned height) -> std::string {
        try {
            float_vif_metric.create(OptionValues("float_vif", float_vif_metric.options, options))
                ->prepare({PixelFormat::yuv420p, 8, width, height});
        } catch (const Error &e) {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(refusal({}, 16, 16), "");
    EXPECT_NE(refusal({}, 15, 16).find("16x16"), std::string::npos);
    EXPECT_NE(refusal({{"vif_prescale", "0.5"}}, 30, 64).find("31x31"), std::string::npos);
    EXPECT_EQ(refusal({{"vif_prescale", "2"}}, 8, 8), "");
    EXPECT_NE(refusal({{"vif_kernelscale", "0.9"}}, 64, 64).find("vif_kernelscale"), std::string::npos);
    EXPECT_NE(refusal({{"vif_prescale_method", "area"}}, 64, 64).find("bicubic"), std::string::npos);
    EXPECT_NE(refusal({{"vif_prescale", "4"}, {"vif_prescale_method", "bilinear"}}, 1921, 64).find("7680"),
              std::string::npos);
    EXPECT_EQ(refusal({{"vif_prescale", "4"}, {"vif_prescale_method", "bilinear"}}, 1920, 64), "");
}

} // namespace
} // namespace vmaf::float_vif_test
