#include "metrics/speed/speed.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "base/error.hpp"
#include "metrics/speed/speed_plane.hpp"
#include "support/clip.hpp"
#include "support/metric_run.hpp"

namespace vmaf::speed_test {
namespace {

const std::string kU = "Speed_chroma_feature_speed_chroma_u_score";
const std::string kV = "Speed_chroma_feature_speed_chroma_v_score";
const std::string kUv = "Speed_chroma_feature_speed_chroma_uv_score";
const std::string kTemporal = "Speed_temporal_feature_speed_temporal_score";

std::vector<Picture> clip(unsigned frames, clipgen::Options options, const std::string &distort) {
    options.distort = distort;
    std::vector<Picture> pictures;
    for (unsigned i = 0; i < frames; i++) pictures.push_back(clip_frame(options, i));
    return pictures;
}

clipgen::Options street(int width, int height, const std::string &format, int depth, unsigned seed) {
    clipgen::Options options;
    options.width = width;
    options.height = height;
    options.format = format;
    options.depth = depth;
    options.scene = "street";
    options.seed = seed;
    return options;
}

// The clip of speed.md 11.
const clipgen::Options kCheckClip = street(352, 288, "444", 8, 11);
const std::vector<Picture> &check_ref() {
    static const std::vector<Picture> pictures = clip(4, kCheckClip, "none");
    return pictures;
}
const std::vector<Picture> &check_dist() {
    static const std::vector<Picture> pictures = clip(4, kCheckClip, "dct:24");
    return pictures;
}

// A picture that is `value` everywhere, in all planes.
Picture flat(const PictureFormat &format, int value) {
    Picture picture = Picture::allocate(format);
    for (unsigned p = 0; p < format.planes(); p++)
        std::memset(picture.data(p), value, std::size_t(picture.stride_bytes(p)) * format.plane_height(p));
    return picture;
}

std::string refusal(const MetricInfo &info, const OptionTexts &options, const PictureFormat &format) {
    try {
        info.create(OptionValues(info.name, info.options, options))->prepare(format);
        return "";
    } catch (const Error &e) {
        EXPECT_EQ(e.code(), EINVAL);
        return e.what();
    }
}

TEST(SpeedChroma, GivesTheCheckValuesOfTheSpecification) {
    const MetricScores s = run_metric(speed_chroma_metric, {}, check_ref(), check_dist());
    EXPECT_EQ(s.series(kU),
              (std::vector<double>{0.82720375061035156, 1.0995044708251953, 0.87656706571578979, 0.69163912534713745}));
    EXPECT_EQ(s.series(kV),
              (std::vector<double>{1.5596214532852173, 1.2928980588912964, 1.492304801940918, 1.1101862192153931}));
    EXPECT_EQ(s.series(kUv),
              (std::vector<double>{1.1934125423431396, 1.1962013244628906, 1.1844359636306763, 0.90091264247894287}));
}

TEST(SpeedTemporal, GivesTheCheckValuesOfTheSpecification) {
    const MetricScores s = run_metric(speed_temporal_metric, {}, check_ref(), check_dist());
    EXPECT_EQ(s.series(kTemporal),
              (std::vector<double>{0, 1.9012957811355591, 1.7303498983383179, 1.9383188486099243}));
}

// Recorded from an independent program with the same definition.
TEST(Speed, OptionsGiveTheRecordedScores) {
    struct Row {
        OptionTexts options;
        double score;
    };
    const Row chroma[] = {
        {{{"speed_kernelscale", "3.7113"}}, 0.41752037405967712},
        {{{"speed_kernelscale", "0.5"}}, 2.0874443054199219},
        {{{"speed_prescale", "0.7"}, {"speed_prescale_method", "bilinear"}}, 1.249708890914917},
        {{{"speed_prescale", "1.5"}, {"speed_prescale_method", "bicubic"}}, 1.5736351013183594},
        {{{"speed_prescale", "0.85"}, {"speed_prescale_method", "lanczos4"}}, 1.3595414161682129},
        {{{"speed_prescale", "2"}, {"speed_prescale_method", "lanczos4"}, {"speed_kernelscale", "2"}},
         2.4245967864990234},
        {{{"speed_sigma_nn", "0.19"}, {"speed_nn_floor", "1"}, {"speed_weight_var_mode", "5"}}, 0.50517499446868896},
        {{{"speed_weight_var_mode", "1"}}, 0.32651001214981079},
        {{{"speed_weight_var_mode", "2"}}, 0.32544595003128052},
        {{{"speed_weight_var_mode", "3"}}, 0.32598066329956055},
        {{{"speed_weight_var_mode", "4"}}, 0.71076023578643799},
        {{{"speed_weight_var_mode", "6"}}, 0.94956707954406738},
    };
    const Row temporal[] = {
        {{{"speed_prescale", "2"}, {"speed_prescale_method", "bicubic"}}, 4.73345947265625},
        {{{"speed_use_ref_diff", "true"}, {"speed_kernelscale", "3"}}, 0.71145659685134888},
    };
    const std::vector<Picture> ref(check_ref().begin(), check_ref().begin() + 2);
    const std::vector<Picture> dist(check_dist().begin(), check_dist().begin() + 2);
    for (const Isa isa : usable_isas()) {
        for (const auto &[options, score] : chroma)
            EXPECT_EQ(run_metric(speed_chroma_metric, options, {ref[0]}, {dist[0]}, isa).at(kUv, 0), score)
                << options.begin()->first << " " << options.begin()->second << " " << to_string(isa);
        for (const auto &[options, score] : temporal)
            EXPECT_EQ(run_metric(speed_temporal_metric, options, ref, dist, isa).at(kTemporal, 1), score);
    }
}

TEST(SpeedPlane, EigenvaluesEnergiesAndEntropiesAreThoseOfTheSpecification) {
    speed::PlaneAnalyser analyser(speed::Geometry(352, 288, 1.0), {}, 8, speed::kScalarSteps);
    analyser.analyse(check_ref()[0], nullptr, 1);
    constexpr float lambda[] = {175.976944f, 145.500305f, 122.54789f,  94.3427582f, 86.3701553f,
                                76.9894943f, 75.847641f,  69.1254425f, 18.6242542f, 65.7291794f,
                                21.2295551f, 59.3828239f, 55.2043762f, 57.4073486f, 50.2273598f,
                                52.4834557f, 25.0920563f, 26.1321945f, 28.3952541f, 43.2151413f,
                                37.0176582f, 39.7680626f, 40.1320648f, 33.9971886f, 32.5221252f};
    for (int i = 0; i < speed::kSize; i++) EXPECT_EQ(analyser.eigenvalues()[i], lambda[i]) << i;
    const auto first_four = [](std::span<const float> v) { return std::vector<float>(v.begin(), v.begin() + 4); };
    EXPECT_EQ(first_four(analyser.statistics().energy),
              (std::vector<float>{0.122351468f, 0.264126301f, 0.196808174f, 0.171238303f}));
    EXPECT_EQ(first_four(analyser.statistics().entropy),
              (std::vector<float>{170.776367f, 197.544571f, 187.228516f, 182.380219f}));
    analyser.analyse(check_dist()[0], nullptr, 1);
    EXPECT_EQ(first_four(analyser.statistics().energy),
              (std::vector<float>{0.126564816f, 0.259067804f, 0.200427577f, 0.16709879f}));
}

TEST(SpeedChroma, EqualPicturesScoreZero) {
    const MetricScores s = run_metric(speed_chroma_metric, {}, {check_ref()[0]}, {check_ref()[0]});
    EXPECT_EQ(s.at(kUv, 0), 0);
}

TEST(SpeedChroma, TheLimitCutsScoresButNotTheMean) {
    const MetricScores s =
        run_metric(speed_chroma_metric, {{"speed_max_val", "1.2"}}, {check_ref()[0]}, {check_dist()[0]});
    EXPECT_EQ(s.at(kU, 0), 0.82720375061035156);
    EXPECT_EQ(s.at(kV, 0), 1.2);
    EXPECT_EQ(s.at(kUv, 0), 1.1934125423431396);
}

// speed.md 9.1: a plane with a singular covariance matrix scores 0 and leaves the mean to the other one.
TEST(SpeedChroma, ASingularPlaneLeavesTheScoreToTheOther) {
    const auto with_flat = [](const Picture &from, unsigned plane) {
        Picture copy = Picture::allocate(from.format());
        for (unsigned p = 0; p < 3; p++)
            std::memcpy(copy.data(p), from.data(p), std::size_t(from.stride_bytes(p)) * from.format().plane_height(p));
        std::memset(copy.data(plane), 77, std::size_t(copy.stride_bytes(plane)) * copy.format().plane_height(plane));
        return copy;
    };
    const Picture ref = check_ref()[0], dist = check_dist()[0];
    const double u = 0.82720375061035156, v = 1.5596214532852173;
    const MetricScores no_u = run_metric(speed_chroma_metric, {}, {with_flat(ref, 1)}, {dist});
    EXPECT_EQ(no_u.at(kU, 0), 0);
    EXPECT_EQ(no_u.at(kUv, 0), v);
    const MetricScores no_v = run_metric(speed_chroma_metric, {}, {ref}, {with_flat(dist, 2)});
    EXPECT_EQ(no_v.at(kV, 0), 0);
    EXPECT_EQ(no_v.at(kUv, 0), u);
    const MetricScores none = run_metric(speed_chroma_metric, {}, {flat(ref.format(), 9)}, {flat(ref.format(), 200)});
    EXPECT_EQ(none.at(kUv, 0), 0);
}

TEST(SpeedTemporal, NegatedChangesScoreTheSame) {
    const std::vector<Picture> &ref = check_ref(), &dist = check_dist();
    const double forward = run_metric(speed_temporal_metric, {}, {ref[0], ref[1]}, {dist[0], dist[1]}).at(kTemporal, 1);
    const double backward =
        run_metric(speed_temporal_metric, {}, {ref[1], ref[0]}, {dist[1], dist[0]}).at(kTemporal, 1);
    EXPECT_EQ(forward, backward);
}

TEST(SpeedTemporal, TheLimitHasNoEffectAndRefDiffSubtractsTheReference) {
    EXPECT_EQ(run_metric(speed_temporal_metric, {{"speed_max_val", "1"}}, check_ref(), check_dist()).at(kTemporal, 1),
              1.9012957811355591);
    const std::vector<Picture> &ref = check_ref(), &dist = check_dist();
    const MetricScores s = run_metric(speed_temporal_metric, {{"speed_use_ref_diff", "true"}}, ref, dist);
    const MetricScores by_hand = run_metric(speed_temporal_metric, {}, {ref[0], ref[1]}, {dist[0], ref[1]});
    EXPECT_EQ(s.at(kTemporal, 1), by_hand.at(kTemporal, 1));
    EXPECT_NE(s.at(kTemporal, 1), 1.9012957811355591);
}

// Shifting samples up with the depth changes nothing: t = sample / 2^(bits - 8) - 128 is exact.
TEST(Speed, EveryDepthScoresLikeEightBits) {
    const auto deepened = [](const Picture &from, unsigned bits) {
        PictureFormat format = from.format();
        format.bits = bits;
        Picture to = Picture::allocate(format);
        for (unsigned p = 0; p < 3; p++)
            for (int y = 0; y < int(format.plane_height(p)); y++)
                for (int x = 0; x < int(format.plane_width(p)); x++)
                    reinterpret_cast<std::uint16_t *>(to.data(p) + y * to.stride_bytes(p))[x] =
                        std::uint16_t(from.plane<std::uint8_t>(p).row(y)[x] << (bits - 8));
        return to;
    };
    for (unsigned bits : {9u, 10u, 12u, 13u, 16u}) {
        std::vector<Picture> ref, dist;
        for (std::size_t i = 0; i < 2; i++) {
            ref.push_back(deepened(check_ref()[i], bits));
            dist.push_back(deepened(check_dist()[i], bits));
        }
        EXPECT_EQ(run_metric(speed_chroma_metric, {}, ref, dist).at(kUv, 1), 1.1962013244628906) << bits;
        EXPECT_EQ(run_metric(speed_temporal_metric, {}, ref, dist).at(kTemporal, 1), 1.9012957811355591) << bits;
    }
}

TEST(Speed, ScalingByOneIsNoScaling) {
    for (const char *factor : {"0.9996", "1.0004"}) {
        const MetricScores s =
            run_metric(speed_chroma_metric, {{"speed_prescale", factor}}, {check_ref()[0]}, {check_dist()[0]});
        EXPECT_EQ(s.at(kUv, 0), 1.1934125423431396);
    }
}

// For a method that copies samples, scaling before measuring equals measuring a picture of that size.
TEST(Speed, NearestScalingByTwoDoublesSamples) {
    const PictureFormat small{PixelFormat::yuv444p, 8, 176, 160}, large{PixelFormat::yuv444p, 8, 352, 320};
    std::mt19937 random(5);
    std::vector<Picture> s, l;
    for (int i = 0; i < 2; i++) {
        s.push_back(Picture::allocate(small));
        l.push_back(Picture::allocate(large));
        for (unsigned p = 0; p < 3; p++)
            for (int y = 0; y < 160; y++)
                for (int x = 0; x < 176; x++) {
                    const auto value = std::byte(random() % 256);
                    s.back().data(p)[y * s.back().stride_bytes(p) + x] = value;
                    for (int k = 0; k < 4; k++)
                        l.back().data(p)[(2 * y + k / 2) * l.back().stride_bytes(p) + 2 * x + k % 2] = value;
                }
    }
    const OptionTexts twice = {{"speed_prescale", "2"}};
    EXPECT_EQ(run_metric(speed_chroma_metric, twice, {s[0]}, {s[1]}).at(kUv, 0),
              run_metric(speed_chroma_metric, {}, {l[0]}, {l[1]}).at(kUv, 0));
    EXPECT_EQ(run_metric(speed_temporal_metric, twice, {s[0], s[1]}, {s[1], s[1]}).at(kTemporal, 1),
              run_metric(speed_temporal_metric, {}, {l[0], l[1]}, {l[1], l[1]}).at(kTemporal, 1));
}

TEST(Speed, SmallPicturesAreRefusedWithTheirMinimum) {
    const auto format = [](PixelFormat f, unsigned w, unsigned h) { return PictureFormat{f, 8, w, h}; };
    EXPECT_EQ(refusal(speed_chroma_metric, {}, format(PixelFormat::yuv420p, 160, 160)), "");
    EXPECT_EQ(refusal(speed_chroma_metric, {}, format(PixelFormat::yuv420p, 159, 160)),
              "feature 'speed_chroma' needs chroma planes of at least 80x80 samples; here they have 79x80");
    EXPECT_EQ(refusal(speed_temporal_metric, {}, format(PixelFormat::yuv420p, 80, 80)), "");
    EXPECT_EQ(refusal(speed_temporal_metric, {}, format(PixelFormat::yuv420p, 80, 79)),
              "feature 'speed_temporal' needs luma planes of at least 80x80 samples; here they have 80x79");
    EXPECT_EQ(refusal(speed_temporal_metric, {{"speed_prescale", "0.5"}}, format(PixelFormat::yuv420p, 152, 176)),
              "feature 'speed_temporal' needs luma planes of at least 80x80 samples after scaling by speed_prescale; "
              "here they have 76x88");
    EXPECT_EQ(refusal(speed_temporal_metric, {{"speed_prescale", "4"}}, format(PixelFormat::yuv420p, 20, 20)), "");
    for (unsigned w = 1; w <= 100; w += 9)
        for (unsigned h = 1; h <= 100; h += 9)
            refusal(speed_temporal_metric, {{"speed_prescale", "4"}, {"speed_prescale_method", "lanczos4"}},
                    format(PixelFormat::yuv420p, w, h));
}

TEST(Speed, MonochromeHasNoChromaScoreButATemporalOne) {
    const PictureFormat mono{PixelFormat::yuv400p, 8, 352, 288};
    EXPECT_EQ(refusal(speed_chroma_metric, {}, mono),
              "feature 'speed_chroma' needs chroma planes; these pictures are 4:0:0");
    EXPECT_EQ(refusal(speed_temporal_metric, {}, mono), "");
}

TEST(Speed, BadOptionsAreRefused) {
    const PictureFormat format{PixelFormat::yuv420p, 8, 352, 288};
    for (const MetricInfo *info : {&speed_chroma_metric, &speed_temporal_metric}) {
        EXPECT_NE(refusal(*info, {{"speed_kernelscale", "0.9"}}, format).find("speed_kernelscale"), std::string::npos);
        EXPECT_EQ(refusal(*info, {{"speed_kernelscale", "1.0005"}}, format), "");
        EXPECT_NE(refusal(*info, {{"speed_prescale_method", "area"}}, format).find("bilinear"), std::string::npos);
        for (const auto &[name, text] : OptionTexts{{"speed_prescale", "0.05"},
                                                    {"speed_sigma_nn", "nan"},
                                                    {"speed_nn_floor", "1.5"},
                                                    {"speed_max_val", "1001"}})
            EXPECT_NE(refusal(*info, {{name, text}}, format).find(name), std::string::npos) << name;
    }
    EXPECT_NE(refusal(speed_chroma_metric, {{"speed_weight_var_mode", "7"}}, format), "");
    EXPECT_EQ(refusal(speed_temporal_metric, {{"speed_weight_var_mode", "7"}}, format), ""); // not an option there
}

} // namespace
} // namespace vmaf::speed_test
