#include "io/black_bars.hpp"

#include <algorithm>
#include <iterator>

#include <gtest/gtest.h>

namespace vmaf {

namespace {

// Grey inside the rectangle, black outside.
Picture boxed(unsigned width, unsigned height, unsigned bits, const BlackBars &bars) {
    Picture picture = Picture::allocate({PixelFormat::yuv400p, bits, width, height});
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
            const bool is_inside =
                x >= bars.left && x < width - bars.right && y >= bars.top && y < height - bars.bottom;
            const unsigned sample = (is_inside ? 100u : 16u) << (bits - 8);
            std::byte *const row = picture.data(0) + static_cast<std::ptrdiff_t>(y) * picture.stride_bytes(0);
            if (bits == 8)
                row[x] = static_cast<std::byte>(sample);
            else
                reinterpret_cast<std::uint16_t *>(row)[x] = static_cast<std::uint16_t>(sample);
        }
    return picture;
}

BlackBars found(const Picture &picture) {
    BarFinder finder(picture.format(), SampleRange::limited);
    finder.look_at(picture);
    return finder.bars();
}

void expect_bars(const BlackBars &bars, const BlackBars &wanted) {
    EXPECT_EQ(bars.left, wanted.left);
    EXPECT_EQ(bars.right, wanted.right);
    EXPECT_EQ(bars.top, wanted.top);
    EXPECT_EQ(bars.bottom, wanted.bottom);
}

VideoFacts facts(unsigned width, unsigned height, PixelFormat chroma = PixelFormat::yuv420p) {
    VideoFacts f;
    f.chroma = chroma;
    f.width = width;
    f.height = height;
    return f;
}

TEST(BlackBars, AreFoundOnEverySide) {
    for (const unsigned bits : {8u, 10u}) {
        expect_bars(found(boxed(320, 240, bits, {0, 0, 30, 32})), {0, 0, 30, 32});
        expect_bars(found(boxed(320, 240, bits, {40, 36, 0, 0})), {40, 36, 0, 0});
    }
}

// What x264 leaves in the bars of filmed material at CRF 30.
TEST(BlackBars, EndWhereThePictureBeginsNotWhereAnEncoderSmearedIt) {
    constexpr unsigned smear[] = {1, 3, 4, 6};
    Picture picture = boxed(320, 240, 8, {0, 0, 40, 0});
    for (unsigned i = 0; i < std::size(smear); i++) {
        std::byte *const row = picture.data(0) + static_cast<std::ptrdiff_t>(36 + i) * picture.stride_bytes(0);
        std::fill_n(row, 320, static_cast<std::byte>(16 + smear[i]));
    }
    expect_bars(found(picture), {0, 0, 40, 0});
}

TEST(BlackBars, DoNotReachIntoDarkPictures) {
    Picture picture = boxed(320, 240, 8, {0, 0, 40, 0});
    for (unsigned i = 0; i < 40; i++) { // darkens slowly towards the bar
        std::byte *const row = picture.data(0) + static_cast<std::ptrdiff_t>(40 + i) * picture.stride_bytes(0);
        std::fill_n(row, 320, static_cast<std::byte>(20 + i));
    }
    expect_bars(found(picture), {0, 0, 40, 0});
}

TEST(BlackBars, AreNotLookedForInPicturesThatAreAlmostBlack) {
    const Picture title = boxed(320, 240, 8, {150, 150, 110, 110});
    BarFinder finder(title.format(), SampleRange::limited);
    EXPECT_FALSE(finder.look_at(title));
    EXPECT_TRUE(finder.look_at(boxed(320, 240, 8, {0, 0, 30, 30})));
    expect_bars(finder.bars(), {0, 0, 30, 30});
}

TEST(BlackBars, AreNotSeenInBlackPictures) {
    expect_bars(found(Picture::allocate({PixelFormat::yuv400p, 8, 64, 48})), {});
}

TEST(BlackBars, AreCutByWholeSamplesOfChroma) {
    const auto height = [](PixelFormat chroma) {
        return cuts_for({{0, 0, 41, 41}, facts(384, 370, chroma)}, {{}, facts(384, 288, chroma)}).reference->height;
    };
    EXPECT_EQ(height(PixelFormat::yuv420p), 290u);
    EXPECT_EQ(height(PixelFormat::yuv422p), 288u);
    EXPECT_EQ(height(PixelFormat::yuv444p), 288u);
}

TEST(BlackBars, EndInTheMiddleOfASmearedEdge) {
    constexpr unsigned edge[] = {5, 14, 57, 70}; // VP9 at CRF 55
    Picture picture = boxed(320, 240, 8, {0, 0, 38, 0});
    for (unsigned i = 0; i < std::size(edge); i++) {
        std::byte *const row = picture.data(0) + static_cast<std::ptrdiff_t>(38 + i) * picture.stride_bytes(0);
        std::fill_n(row, 320, static_cast<std::byte>(16 + edge[i]));
    }
    expect_bars(found(picture), {0, 0, 40, 0});
}

TEST(BlackBars, LeaveTheShapeOfTheOtherClip) {
    const auto crop = [](const BlackBars &bars, unsigned width, unsigned height) {
        return cuts_for({bars, facts(width, height)}, {{}, facts(384, 288)}).reference.value_or(Crop{});
    };
    for (const BlackBars &bars : {BlackBars{0, 0, 80, 79}, BlackBars{0, 0, 77, 80}, BlackBars{0, 0, 80, 82}}) {
        EXPECT_EQ(crop(bars, 768, 736).height, 576u); // twice the size
        EXPECT_EQ(crop(bars, 768, 736).y, 80u);
    }
    EXPECT_EQ(crop({0, 0, 60, 101}, 768, 736).y, 60u);
    EXPECT_EQ(crop({29, 30, 0, 0}, 444, 288).x, 30u);
    EXPECT_EQ(crop({30, 28, 38, 40}, 444, 368).width, 384u);
    EXPECT_EQ(crop({30, 28, 38, 40}, 444, 368).height, 288u);
    EXPECT_EQ(crop({0, 0, 100, 100}, 768, 736).height, 536u); // another shape, refused later
}

TEST(BlackBars, StayWhereOnlyTheOtherTwoSidesDiffer) {
    const BarCuts cuts = cuts_for({{0, 0, 40, 40}, facts(384, 368)}, {{30, 30, 40, 40}, facts(444, 368)});
    EXPECT_FALSE(cuts.reference);
    ASSERT_TRUE(cuts.distorted);
    EXPECT_EQ(cuts.distorted->width, 384u);
    EXPECT_EQ(cuts.distorted->height, 368u);
    EXPECT_EQ(cuts.distorted->x, 30u);
}

TEST(BlackBars, EqualOnesStay) {
    const BarCuts cuts = cuts_for({{0, 0, 140, 140}, facts(1920, 1080)}, {{0, 0, 94, 92}, facts(1280, 720)});
    EXPECT_FALSE(cuts.reference);
    EXPECT_FALSE(cuts.distorted);
}

TEST(BlackBars, AreCutFromPicturesWithAnOddSide) {
    const BarCuts cuts = cuts_for({{0, 0, 38, 38}, facts(381, 360)}, {{}, facts(381, 284)});
    EXPECT_EQ(cuts.reference, (Crop{381, 284, 0, 38}));
    const BarCuts at_end = cuts_for({{0, 3, 0, 0}, facts(384, 288)}, {{5, 0, 0, 0}, facts(381, 288)});
    EXPECT_EQ(at_end.reference, (Crop{382, 288, 0, 0})); // a chroma sample belongs to the picture and to the bar
    EXPECT_EQ(at_end.distorted, (Crop{377, 288, 4, 0}));
}

TEST(BlackBars, ThoseOfOneClipAreCut) {
    const BarCuts cuts = cuts_for({{0, 0, 140, 140}, facts(1920, 1080)}, {{}, facts(1920, 800)});
    ASSERT_TRUE(cuts.reference);
    EXPECT_EQ(cuts.reference->width, 1920u);
    EXPECT_EQ(cuts.reference->height, 800u);
    EXPECT_EQ(cuts.reference->y, 140u);
    EXPECT_FALSE(cuts.distorted);
}

} // namespace

} // namespace vmaf
