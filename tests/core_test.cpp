// The small building blocks: options, names, pictures, pools, the collector.
#include <gtest/gtest.h>

#include <thread>

#include "base/error.hpp"
#include "metrics/options.hpp"
#include "picture/pool.hpp"
#include "scores/collector.hpp"
#include "scores/feature_name.hpp"

namespace vmaf::core_test {
namespace {

constexpr OptionSpec kTable[] = {
    {"limit", "lim", "a number", 100.0, 1, 100, true},
    {"count", "", "an integer", 3, 0, 9, true},
    {"on", "o", "a flag", false, 0, 0, true},
    {"debug", "", "a flag that does not show", false},
    {"method", "m", "a text", std::string_view("nearest"), 0, 0, true},
};

TEST(Options, NumbersAreRewrittenInSinglePrecisionWithSixDigits) {
    EXPECT_EQ(normalised_option_text("1.0"), "1");
    EXPECT_EQ(normalised_option_text("1.123456789"), "1.12346");
    EXPECT_EQ(normalised_option_text("1000000"), "1e+06");
    EXPECT_EQ(normalised_option_text(" 2 "), "2");
    EXPECT_EQ(normalised_option_text("2x"), "2x");
    EXPECT_EQ(normalised_option_text("true"), "true");
}

TEST(Options, SuffixListsNonDefaultValuesInOrderOfNames) {
    const OptionValues values("m", kTable, {{"limit", "1.5"}, {"on", "true"}, {"debug", "true"}, {"count", "2.7"}});
    EXPECT_EQ(values.name_suffix(), "_count_2_lim_1.5_o");
    EXPECT_EQ(OptionValues("m", kTable, {{"limit", "100"}}).name_suffix(), "");
}

TEST(Options, BadValuesNameMetricOptionAndRange) {
    for (const auto &[name, text] : OptionTexts{{"limit", "0.5"}, {"count", "x"}, {"on", "1"}}) try {
            const OptionValues unwanted("thing", kTable, {{name, text}});
            ADD_FAILURE() << name;
        } catch (const Error &e) {
            EXPECT_EQ(e.code(), EINVAL);
            EXPECT_NE(std::string(e.what()).find("thing"), std::string::npos);
            EXPECT_NE(std::string(e.what()).find(name), std::string::npos);
        }
    EXPECT_THROW(OptionValues("m", kTable, {{"limit", "nan"}}), Error);
    EXPECT_THROW(OptionValues("m", kTable, {{"limit", ""}}), Error);
    EXPECT_EQ(OptionValues("m", kTable, {{"count", "0"}}).integer("count"), 0);
    EXPECT_EQ(unknown_options(kTable, {{"limt", "1"}, {"on", "true"}}), std::vector<std::string>{"limt"});
}

TEST(Names, AliasesAreShortFormsOfFullNames) {
    EXPECT_EQ(feature_alias("VMAF_integer_feature_adm2_score"), "integer_adm2");
    EXPECT_EQ(feature_alias("VMAF_feature_vif_scale3_score"), "vif_scale3");
    EXPECT_EQ(feature_alias("VMAF_integer_feature_motion_sad_score"), "VMAF_integer_feature_motion_sad_score");
    EXPECT_EQ(feature_alias("Speed_chroma_feature_speed_chroma_uv_score"), "speed_chroma_uv");
    EXPECT_EQ(feature_alias("psnr_y"), "psnr_y");
    EXPECT_EQ(stored_name("VMAF_integer_feature_adm2_score", ""), "VMAF_integer_feature_adm2_score");
    EXPECT_EQ(stored_name("VMAF_integer_feature_adm2_score", "_egl_1"), "integer_adm2_egl_1");
}

TEST(Pictures, ChromaSizesAreRoundedDown) {
    const Picture p = Picture::allocate({PixelFormat::yuv420p, 8, 175, 131});
    EXPECT_EQ(p.format().plane_width(1), 87u);
    EXPECT_EQ(p.format().plane_height(2), 65u);
    EXPECT_EQ(p.stride_bytes(0), 192);
    EXPECT_EQ(p.stride_bytes(1), 96);
    EXPECT_EQ(p.data(1), p.data(0) + 192 * 131);
    EXPECT_THROW(Picture::allocate({PixelFormat::yuv420p, 7, 16, 16}), Error);
    EXPECT_THROW(Picture::allocate({PixelFormat::unknown, 8, 16, 16}), Error);
    EXPECT_THROW(Picture::allocate({PixelFormat::yuv420p, 8, 0, 16}), Error);
}

TEST(Pool, FetchWaitsForAReturnedPicture) {
    PicturePool pool({PixelFormat::yuv420p, 8, 16, 16}, 1);
    Picture first = pool.fetch();
    std::thread later([&] { first = Picture(); });
    const Picture second = pool.fetch();
    later.join();
    EXPECT_TRUE(second);
}

TEST(Pool, PicturesOutliveTheirPool) {
    Picture kept;
    {
        PicturePool pool({PixelFormat::yuv444p, 10, 16, 16}, 2);
        kept = pool.fetch();
    }
    kept.data(0)[0] = std::byte{1};
}

TEST(Collector, ScoresAreWrittenOnce) {
    ScoreCollector scores;
    scores.append("a", 0, 1.0);
    EXPECT_THROW(scores.append("a", 0, 1.0), Error);
    EXPECT_EQ(scores.find("a", 0), 1.0);
    EXPECT_FALSE(scores.find("a", 1));
    EXPECT_FALSE(scores.find("b", 0));
}

TEST(Collector, PoolsInTheFourWays) {
    ScoreCollector scores;
    const double x[] = {4, 1, 3};
    for (unsigned i = 0; i < 3; i++) scores.append("a", i, x[i]);
    EXPECT_EQ(scores.pool("a", Pooling::min, 0, 2, 1), 1);
    EXPECT_EQ(scores.pool("a", Pooling::max, 0, 2, 1), 4);
    EXPECT_EQ(scores.pool("a", Pooling::mean, 0, 2, 1), 8.0 / 3);
    EXPECT_EQ(scores.pool("a", Pooling::harmonic_mean, 0, 2, 1), 3 / (1.0 / 5 + 1.0 / 2 + 1.0 / 4) - 1);
    EXPECT_EQ(scores.pool("a", Pooling::max, 1, 2, 2), 3); // the first sampled index counts, not the bound
    EXPECT_THROW(scores.pool("a", Pooling::mean, 0, 3, 1), Error);
    EXPECT_THROW(scores.pool("a", Pooling::mean, 2, 1, 1), Error);
    EXPECT_THROW(scores.pool("a", Pooling::unknown, 0, 1, 1), Error);
}

} // namespace
} // namespace vmaf::core_test
