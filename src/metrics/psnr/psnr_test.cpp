#include "metrics/psnr/psnr.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "metrics/psnr/float_psnr.hpp"
#include "support/clip.hpp"
#include "support/metric_run.hpp"

namespace vmaf::psnr_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A frame of a street scene and its distorted version, on every instruction set.
void expect_scores(const MetricInfo &info, const OptionTexts &options, int depth, unsigned frame,
                   const std::map<std::string, double> &expected) {
    for (const Isa isa : usable_isas()) {
        const MetricScores scores = run_metric(info, options, {street_frame(depth, frame, "none")},
                                               {street_frame(depth, frame, "dct:60")}, isa);
        EXPECT_EQ(scores.frames.size(), expected.size());
        for (const auto &[name, value] : expected) EXPECT_EQ(scores.at(name, 0), value) << name << to_string(isa);
    }
}

MetricScores score_flat(const OptionTexts &options, const PictureFormat &format, std::uint8_t ref, std::uint8_t dist) {
    const auto picture = [&](std::uint8_t value) {
        const Picture p = Picture::allocate(format);
        for (unsigned plane = 0; plane < format.planes(); plane++)
            for (unsigned y = 0; y < format.plane_height(plane); y++)
                std::fill_n(p.data(plane) + y * p.stride_bytes(plane),
                            format.plane_width(plane) * format.bytes_per_sample(), std::byte(value));
        return p;
    };
    return run_metric(psnr_metric, options, {picture(ref)}, {picture(dist)});
}

TEST(Psnr, GivesTheReferenceScores) {
    expect_scores(psnr_metric, {{"enable_mse", "true"}}, 8, 1,
                  {{"psnr_y", 36.25333092379014},
                   {"mse_y", 15.408035432449495},
                   {"psnr_cb", 36.478544478282565},
                   {"mse_cb", 14.629379734848484},
                   {"psnr_cr", 36.35096847473597},
                   {"mse_cr", 15.065498737373737}});
}

TEST(Psnr, ReducedPeakIs255InStepsOf8Bits) {
    expect_scores(psnr_metric, {{"reduced_hbd_peak", "true"}}, 10, 0,
                  {{"psnr_y", 36.47228086032344}, {"psnr_cb", 35.101305645452555}, {"psnr_cr", 35.003579866373386}});
}

TEST(Psnr, AggregateCoversAllFrames) {
    const std::vector<Picture> ref = {street_frame(8, 0, "none"), street_frame(8, 1, "none"),
                                      street_frame(8, 2, "none")};
    const std::vector<Picture> dist = {street_frame(8, 0, "dct:60"), street_frame(8, 1, "dct:60"),
                                       street_frame(8, 2, "dct:60")};
    const MetricScores scores = run_metric(psnr_metric, {{"enable_apsnr", "true"}}, ref, dist);
    EXPECT_EQ(scores.aggregates,
              (std::map<std::string, double>{
                  {"apsnr_y", 36.225199666949585}, {"apsnr_cb", 35.38337911777656}, {"apsnr_cr", 35.29578187798967}}));
}

TEST(Psnr, IdenticalPicturesReachTheCeilingOfTheDepth) {
    for (const auto &[depth, ceiling] : {std::pair{8u, 60.0}, {10u, 72.0}, {12u, 84.0}, {16u, 108.0}})
        EXPECT_EQ(score_flat({}, {PixelFormat::yuv420p, depth, 16, 16}, 7, 7).at("psnr_y", 0), ceiling);
}

TEST(Psnr, MinSseSetsTheCeiling) {
    const MetricScores scores = score_flat({{"min_sse", "0.5"}}, {PixelFormat::yuv420p, 8, 16, 8}, 7, 7);
    EXPECT_EQ(scores.at("psnr_y", 0), std::ceil(10 * std::log10(65025 / (0.5 / 128))));
    EXPECT_EQ(scores.at("psnr_cb", 0), std::ceil(10 * std::log10(65025 / (0.5 / 32))));
}

TEST(Psnr, EmptyChromaPlanesScoreTheCeiling) {
    const MetricScores scores = score_flat({{"enable_mse", "true"}}, {PixelFormat::yuv420p, 8, 1, 8}, 7, 9);
    EXPECT_TRUE(std::isnan(scores.at("mse_cb", 0)));
    EXPECT_EQ(scores.at("psnr_cb", 0), 60);
    EXPECT_EQ(score_flat({{"min_sse", "1"}}, {PixelFormat::yuv420p, 8, 1, 8}, 7, 9).at("psnr_cb", 0), -kInfinity);
}

TEST(Psnr, ScoresLumaAloneWithoutChroma) {
    const OptionTexts aggregate = {{"enable_apsnr", "true"}};
    for (const MetricScores &scores : {score_flat(aggregate, {PixelFormat::yuv400p, 8, 16, 16}, 7, 9),
                                       score_flat({{"enable_apsnr", "true"}, {"enable_chroma", "false"}},
                                                  {PixelFormat::yuv444p, 8, 16, 16}, 7, 9)}) {
        EXPECT_EQ(scores.frames.size(), 1u);
        EXPECT_EQ(scores.at("psnr_y", 0), 10 * std::log10(65025.0 / 4));
        EXPECT_EQ(scores.aggregates.at("apsnr_cb"), -kInfinity);
    }
}

TEST(Psnr, DepthsThatVideoDoesNotHaveAreRefused) {
    for (const MetricInfo *info : {&psnr_metric, &float_psnr_metric}) {
        const auto metric = info->create(OptionValues(info->name, info->options, {}));
        EXPECT_THROW(metric->prepare({PixelFormat::yuv420p, 9, 16, 16}), Error);
    }
}

TEST(FloatPsnr, GivesTheReferenceScores) {
    expect_scores(float_psnr_metric, {}, 8, 1, {{"float_psnr", 36.25333092379014}});
    expect_scores(float_psnr_metric, {}, 10, 1, {{"float_psnr", 36.32412676498285}});
}

TEST(FloatPsnr, SquaresOf16BitErrorsAreRounded) {
    const Picture ref = Picture::allocate({PixelFormat::yuv400p, 16, 1, 1});
    const Picture dist = Picture::allocate({PixelFormat::yuv400p, 16, 1, 1});
    *reinterpret_cast<std::uint16_t *>(ref.data(0)) = 50001; // its square has 32 bits
    const double noise = double(float(50001.0 * 50001.0)) / 65536, peak = 255.99609375;
    for (const Isa isa : usable_isas())
        EXPECT_EQ(run_metric(float_psnr_metric, {}, {ref}, {dist}, isa).at("float_psnr", 0),
                  10 * std::log10(peak * peak / noise));
}

} // namespace
} // namespace vmaf::psnr_test
