#include "metrics/ssimulacra2/ssimulacra2.hpp"

#include <set>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "metrics/ssimulacra2/ssimulacra2_norms.hpp"
#include "metrics/ssimulacra2/ssimulacra2_stages.hpp"
#include "support/clip.hpp"
#include "support/luma_pair.hpp"
#include "support/metric_run.hpp"

namespace vmaf::ssimulacra2_test {
namespace {

struct Case {
    int width, height;
    const char *format;
    int depth;
    const char *scene, *distort;
    double scores[4]; // by yuv_matrix
};

std::pair<Picture, Picture> pictures(const Case &c, unsigned frame = 0) {
    clipgen::Options options;
    options.width = c.width;
    options.height = c.height;
    options.format = c.format;
    options.depth = c.depth;
    options.scene = c.scene;
    options.seed = 3;
    const Picture ref = clip_frame(options, frame);
    options.distort = c.distort;
    return {ref, clip_frame(options, frame)};
}

// Section 12; odd sizes with chroma rounded down.
const Case kCases[] = {
    {352,
     288,
     "420",
     8,
     "street",
     "dct:24",
     {75.23357017522149, 68.711093207184, 77.82681316835152, 71.97629786379747}},
    {352,
     288,
     "420",
     10,
     "street",
     "blur:2",
     {49.35085512106048, 39.22909016008297, 54.77789714556398, 46.1365551850724}},
    {176,
     144,
     "444",
     16,
     "street",
     "dct:30",
     {77.30931055650551, 75.4757340329153, 79.52329186106843, 77.8514441247654}},
    {16, 16, "420", 8, "street", "dct:30", {89.06551979035258, 87.3659438175103, 90.35520593606671, 88.91630983899822}},
    {7, 40, "444", 8, "street", "dct:30", {100, 100, 100, 100}},
    {352,
     288,
     "422",
     8,
     "noise",
     "noise:20",
     {52.09014442037975, 50.15692478861265, 53.16309209766785, 51.805549615370055}},
    {352, 288, "420", 8, "flat", "none", {100, 100, 100, 100}},
    {576,
     324,
     "420",
     8,
     "street",
     "half",
     {72.29576139150592, 66.89945404776265, 74.76593854308746, 70.44153109864303}},
    {640,
     360,
     "420",
     12,
     "gradient",
     "band:5",
     {-7.91052264368345, -11.13855115203178, 2.2454867688174573, -0.017533012108884805}},
    {175,
     131,
     "420",
     8,
     "street",
     "dct:40",
     {67.139806523977825, 61.548655236460796, 70.415134446572281, 65.360873502462567}},
    {175,
     131,
     "422",
     12,
     "street",
     "noise:8",
     {62.177788597814221, 58.473166153031173, 65.526483733643829, 62.20279740462162}},
    {9,
     13,
     "420",
     10,
     "noise",
     "dct:30",
     {91.326344687753561, 91.274081120444976, 91.422045277301919, 91.5812669295902}},
    {353,
     287,
     "420",
     10,
     "street",
     "dct:30",
     {72.560611913920638, 67.739483681673832, 75.287617981912348, 70.883432962137022}},
};

TEST(Ssimulacra2, GivesTheCheckValuesOfTheSpecification) {
    for (const Case &c : kCases) {
        const auto [ref, dist] = pictures(c);
        for (int matrix = 0; matrix < 4; matrix++) {
            const MetricScores scores =
                run_metric(ssimulacra2_metric, {{"yuv_matrix", std::to_string(matrix)}}, {ref}, {dist});
            EXPECT_DOUBLE_EQ(scores.at("ssimulacra2", 0), c.scores[matrix])
                << c.width << "x" << c.height << " " << c.distort << " matrix " << matrix;
        }
    }
}

TEST(Ssimulacra2, VectorCodeAgreesTo1e9AndIsTheSameForAllInstructionSets) {
    const auto check = [](const Case &c, int matrix) {
        const auto [ref, dist] = pictures(c);
        const OptionTexts options = {{"yuv_matrix", std::to_string(matrix)}};
        const double expected = run_metric(ssimulacra2_metric, options, {ref}, {dist}).at("ssimulacra2", 0);
        std::set<double> values;
        for (const Isa isa : usable_isas()) {
            if (isa == Isa::scalar) continue;
            const double value = run_metric(ssimulacra2_metric, options, {ref}, {dist}, isa).at("ssimulacra2", 0);
            EXPECT_NEAR(value, expected, 1e-9 * std::abs(expected)) << c.width << "x" << c.height << to_string(isa);
            values.insert(value);
        }
        EXPECT_LE(values.size(), 1u) << c.width << "x" << c.height;
    };
    for (const Case &c : kCases) check(c, 1);
    for (int side = 8; side <= 50; side += 3) check({side, 58 - side, "444", 10, "noise", "dct:30", {}}, 2);
    check({1100, 40, "422", 8, "street", "dct:30", {}}, 0); // three strips of columns
}

TEST(Ssimulacra2, IdenticalPicturesScore100OnEveryInstructionSet) {
    const auto [ref, dist] = pictures(kCases[0]);
    for (const Isa isa : usable_isas())
        EXPECT_EQ(run_metric(ssimulacra2_metric, {}, {ref}, {ref}, isa).at("ssimulacra2", 0), 100) << to_string(isa);
}

TEST(Ssimulacra2, SplittingAFrameDoesNotChangeScores) {
    BackwardParts parts(5);
    for (const Case &c : {kCases[0], Case{1100, 261, "420", 10, "street", "dct:40", {}}}) {
        const auto [ref, dist] = pictures(c);
        for (const Isa isa : usable_isas())
            EXPECT_EQ(run_metric(ssimulacra2_metric, {}, {ref, ref}, {dist, ref}, isa, parts).frames,
                      run_metric(ssimulacra2_metric, {}, {ref, ref}, {dist, ref}, isa).frames);
    }
}

TEST(Ssimulacra2, FramesDoNotInfluenceEachOther) {
    const auto [ref0, dist0] = pictures(kCases[0]);
    const auto [ref1, dist1] = pictures(kCases[0], 1);
    const MetricScores scores = run_metric(ssimulacra2_metric, {}, {ref1, ref0, ref1}, {dist1, dist0, dist1});
    EXPECT_EQ(scores.at("ssimulacra2", 0), scores.at("ssimulacra2", 2));
    EXPECT_DOUBLE_EQ(scores.at("ssimulacra2", 1), kCases[0].scores[0]);
}

TEST(Ssimulacra2, SidesBelowEightScore100) {
    for (const auto &[width, height] : {std::pair{1, 1}, {1, 40}, {40, 7}, {7, 7}}) {
        const auto [ref, dist] = pictures({width, height, "420", 8, "street", "dct:30", {}});
        EXPECT_EQ(run_metric(ssimulacra2_metric, {}, {ref}, {dist}).at("ssimulacra2", 0), 100) << width;
    }
}

// Depths that no file format has are possible through the C API. The range constants are those of 8 bits at every
// depth.
TEST(Ssimulacra2, TakesEveryDepthFrom8To16) {
    const auto score = [](int depth) {
        const auto [ref, dist] = pictures({176, 144, "444", depth, "street", "dct:30", {}});
        return run_metric(ssimulacra2_metric, {}, {ref}, {dist}).at("ssimulacra2", 0);
    };
    const double at16 = score(16);
    for (const int depth : {9, 11, 13, 14, 15}) EXPECT_NEAR(score(depth), at16, 1.5) << depth;
}

TEST(Ssimulacra2, NeedsChroma) {
    const auto metric = ssimulacra2_metric.create(OptionValues("ssimulacra2", ssimulacra2_metric.options, {}));
    try {
        metric->prepare({PixelFormat::yuv400p, 8, 64, 64});
        FAIL();
    } catch (const Error &e) {
        EXPECT_EQ(e.code(), EINVAL);
        EXPECT_NE(std::string(e.what()).find("'ssimulacra2' needs colour"), std::string::npos);
    }
}

TEST(Ssimulacra2, MatrixIsZeroToThreeAndNotPartOfTheName) {
    for (const char *text : {"4", "-1", "x", "", "nan"})
        EXPECT_THROW(OptionValues("ssimulacra2", ssimulacra2_metric.options, {{"yuv_matrix", text}}), Error) << text;
    EXPECT_EQ(OptionValues("ssimulacra2", ssimulacra2_metric.options, {{"yuv_matrix", "3"}}).name_suffix(), "");
}

TEST(Ssimulacra2, EotfTableHasItsChecksum) {
    std::uint32_t sum = 0;
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const ssimulacra2::EotfStep &step : ssimulacra2::eotf_table()) {
        const auto pattern = std::bit_cast<std::uint32_t>(step.value);
        sum += pattern;
        for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ ((pattern >> shift) & 255)) * 0x100000001b3u;
    }
    EXPECT_EQ(sum, 0xcffde8c5u);
    EXPECT_EQ(hash, 0xd11dd8a472976e4cu);
}

TEST(Ssimulacra2, LinearLightAndCubeRootHaveTheirCheckValues) {
    const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
    EXPECT_EQ(bits(ssimulacra2::to_linear(0.3f)), 0x3d95fe5bu);
    EXPECT_EQ(bits(ssimulacra2::to_linear(0.5f)), 0x3e5b2dacu);
    EXPECT_EQ(bits(ssimulacra2::to_linear(0.02f)), 0x3acae5d8u);
    EXPECT_EQ(bits(ssimulacra2::cube_root(1.0f)), 0x3f800001u);
    EXPECT_EQ(bits(ssimulacra2::cube_root(0.125f)), 0x3f000001u);
    EXPECT_EQ(bits(ssimulacra2::cube_root(0.5f)), 0x3f4b2fffu);
    EXPECT_EQ(bits(ssimulacra2::cube_root(0.001f)), 0x3dccccd3u);
    EXPECT_EQ(ssimulacra2::cube_root(-1.0f), 0.0f);
    EXPECT_EQ(ssimulacra2::cube_root(ssimulacra2::kAbsorptionBias), ssimulacra2::kRootOfBias);
}

TEST(Ssimulacra2, MatricesHaveTheConstantsOfTheSpecification) {
    const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
    const ssimulacra2::YuvMatrix bt709 = ssimulacra2::yuv_matrix(0), bt601 = ssimulacra2::yuv_matrix(3);
    EXPECT_EQ(bits(bt709.rv), 0x3fc9930cu);
    EXPECT_EQ(bits(bt709.bu), 0x3fed844du);
    EXPECT_EQ(bits(bt709.gu), 0xbe3fd1eeu);
    EXPECT_EQ(bits(bt709.gv), 0xbeefadfcu);
    EXPECT_EQ(bits(bt601.gu), 0xbeb032a1u);
    EXPECT_EQ(bits(bt601.gv), 0xbf36d1a2u);
    EXPECT_EQ(bits(bt709.y_offset), 0x3d808081u);
    EXPECT_EQ(bits(bt709.c_scale), 0x3f91b6dbu);
    EXPECT_EQ(bt601.y_offset, 0.0f);
}

TEST(Ssimulacra2, MapsWithoutWeightAreLeftOut) {
    EXPECT_FALSE(ssimulacra2::needs(0, 0).structure);
    EXPECT_TRUE(ssimulacra2::needs(0, 0).artifact);
    EXPECT_FALSE(ssimulacra2::needs(0, 0).lost_detail);
    EXPECT_TRUE(ssimulacra2::needs(1, 0).structure);
    EXPECT_FALSE(ssimulacra2::needs(1, 5).any());
}

} // namespace
} // namespace vmaf::ssimulacra2_test
