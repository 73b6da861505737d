#include "io/preparation.hpp"

#include <gtest/gtest.h>

namespace preparation_test {
namespace {

using namespace vmaf;

VideoFacts facts(unsigned width = 1920, unsigned height = 1080, PixelFormat chroma = PixelFormat::yuv420p,
                 unsigned bits = 8) {
    VideoFacts f;
    f.width = width;
    f.height = height;
    f.chroma = chroma;
    f.bits = bits;
    f.pixel_format = "some";
    f.range = SampleRange::limited;
    f.matrix = f.primaries = f.transfer = "bt709";
    return f;
}

Preparation plan(const VideoFacts &ref, const VideoFacts &dist, bool ignores_range = false) {
    return prepare_pair(ref, dist, {.scaler = "bicubic", .ignores_range = ignores_range});
}

TEST(Preparation, EqualClipsNeedNothing) {
    const Preparation p = plan(facts(), facts());
    EXPECT_TRUE(p.steps.empty());
    EXPECT_TRUE(p.warnings.empty());
    EXPECT_TRUE(p.mismatches.empty());
    EXPECT_EQ(p.picture, (PictureFormat{PixelFormat::yuv420p, 8, 1920, 1080}));
}

TEST(Preparation, TheFinerChromaAndTheDeeperDepthCount) {
    const Preparation p = plan(facts(1920, 1080, PixelFormat::yuv422p, 8), facts(1920, 1080, PixelFormat::yuv420p, 10));
    EXPECT_EQ(p.picture, (PictureFormat{PixelFormat::yuv422p, 10, 1920, 1080}));
    EXPECT_EQ(p.steps.size(), 2u);
}

TEST(Preparation, TheDistortedClipGetsTheSizeOfTheReference) {
    const Preparation p = plan(facts(), facts(960, 540));
    EXPECT_EQ(p.distorted.picture.width, 1920u);
    ASSERT_EQ(p.steps.size(), 1u);
    EXPECT_NE(p.steps[0].find("scaled from 960x540 to 1920x1080 (bicubic)"), std::string::npos);
    EXPECT_TRUE(p.mismatches.empty());
}

TEST(Preparation, SampleAspectsExplainOtherShapes) {
    VideoFacts narrow = facts(1440, 1080);
    EXPECT_EQ(plan(facts(), narrow).mismatches.size(), 1u);
    narrow.sample_aspect = {4, 3};
    EXPECT_TRUE(plan(facts(), narrow).mismatches.empty());
    VideoFacts same_size = facts();
    same_size.sample_aspect = {4, 3};
    EXPECT_EQ(plan(facts(), same_size).warnings.size(), 1u);
}

TEST(Preparation, CroppedAndPaddedPicturesAreNotScaled) {
    EXPECT_EQ(plan(facts(), facts(1920, 800)).mismatches.size(), 1u);
    EXPECT_EQ(plan(facts(), facts(1920, 1088)).mismatches.size(), 1u);
    EXPECT_EQ(plan(facts(1918, 1080), facts(1920, 1080)).mismatches.size(), 1u);
}

TEST(Preparation, ALostRotationIsNamed) {
    const Preparation turned = plan(facts(1080, 1920), facts(1280, 720));
    ASSERT_EQ(turned.mismatches.size(), 1u);
    EXPECT_NE(turned.mismatches[0].find("one of them is rotated"), std::string::npos);
    EXPECT_EQ(plan(facts(), facts(1920, 800)).mismatches[0].find("turned"), std::string::npos);
}

TEST(Preparation, CroppingThatMadeTheShapesDifferIsNotAdvised) {
    const PreparationRequest request{.has_cropped = true};
    const std::string sentence = prepare_pair(facts(), facts(1920, 800), request).mismatches.at(0);
    EXPECT_NE(sentence.find("try without it"), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find("--crop auto"), std::string::npos) << sentence;
}

TEST(Preparation, HdrBesideAClipWithoutTagsHasAWarning) {
    VideoFacts hdr = facts(), untagged = facts();
    hdr.transfer = "smpte2084";
    untagged.transfer = untagged.primaries = "";
    for (const Preparation &p : {plan(hdr, untagged), plan(untagged, hdr)}) {
        EXPECT_TRUE(p.mismatches.empty());
        ASSERT_EQ(p.warnings.size(), 1u);
        EXPECT_NE(p.warnings[0].find("does not state its transfer"), std::string::npos);
    }
    EXPECT_TRUE(plan(facts(), untagged).warnings.empty());
}

TEST(Preparation, AnotherRangeIsConvertedLoudly) {
    VideoFacts full = facts();
    full.range = SampleRange::full;
    Preparation p = plan(facts(), full);
    EXPECT_EQ(p.distorted.range_change, RangeChange::full_to_limited);
    EXPECT_EQ(p.warnings.size(), 1u);
    p = plan(full, facts());
    EXPECT_EQ(p.distorted.range_change, RangeChange::limited_to_full);
    EXPECT_EQ(p.reference.range_change, RangeChange::none);
    p = plan(facts(), full, true);
    EXPECT_EQ(p.distorted.range_change, RangeChange::none);
    EXPECT_EQ(p.warnings.size(), 1u);
    EXPECT_EQ(plan(full, full).distorted.range_change, RangeChange::none);
}

TEST(Preparation, NoTagMeansLimitedRangeAndIsNoted) {
    VideoFacts full = facts(), untagged = facts();
    full.range = SampleRange::full;
    untagged.range = SampleRange::unknown;
    EXPECT_EQ(plan(untagged, full).distorted.range_change, RangeChange::full_to_limited);
    EXPECT_EQ(plan(untagged, facts()).distorted.range_change, RangeChange::none);
    EXPECT_EQ(plan(untagged, facts()).warnings.size(), 1u);
    EXPECT_TRUE(plan(untagged, untagged).warnings.empty());
    EXPECT_EQ(plan(untagged, untagged).notes.size(), 1u);
}

TEST(Preparation, OtherColoursAreReported) {
    VideoFacts other = facts();
    other.matrix = "bt2020nc";
    EXPECT_EQ(plan(facts(), other).warnings.size(), 1u);
    other.transfer = "smpte2084";
    EXPECT_EQ(plan(facts(), other).mismatches.size(), 1u);
    EXPECT_EQ(plan(other, other).warnings.size(), 1u); // models are made for SDR
}

TEST(Preparation, RgbGetsRoomForItsColours) {
    VideoFacts rgb = facts(1920, 1080, PixelFormat::yuv444p, 8);
    rgb.is_rgb = true;
    rgb.is_planar = false;
    const Preparation p = plan(rgb, facts());
    EXPECT_EQ(p.picture, (PictureFormat{PixelFormat::yuv444p, 10, 1920, 1080}));
    EXPECT_EQ(p.reference.matrix, "bt709");
}

TEST(Preparation, GreyThatSaysNoRangeHasTheOtherOnes) {
    VideoFacts silent = facts(1920, 1080, PixelFormat::yuv400p), full = silent;
    silent.range = SampleRange::unknown;
    full.range = SampleRange::full;
    for (const auto &[ref, dist] : {std::pair{silent, full}, {full, silent}}) {
        const Preparation p = plan(ref, dist);
        EXPECT_EQ(p.distorted.range_change, RangeChange::none);
        EXPECT_EQ(p.warnings.size(), 1u);
    }
    EXPECT_NE(plan(facts(1920, 1080, PixelFormat::yuv400p), full).distorted.range_change, RangeChange::none);
    EXPECT_NE(plan(facts(), full).distorted.range_change, RangeChange::none);
}

TEST(Preparation, ClipsWithoutColourAreFilledOnlyWhereNeeded) {
    const VideoFacts grey = facts(1920, 1080, PixelFormat::yuv400p);
    EXPECT_EQ(plan(grey, grey).picture.pixel_format, PixelFormat::yuv400p);
    EXPECT_EQ(plan(grey, facts()).picture.pixel_format, PixelFormat::yuv420p);
    EXPECT_EQ(plan(grey, facts()).steps.size(), 1u);
}

} // namespace
} // namespace preparation_test
