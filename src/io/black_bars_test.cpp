#include "io/black_bars.hpp"

#include <gtest/gtest.h>

namespace vmaf {

namespace {

// Grey inside, black outside of the rectangle.
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

VideoFacts facts(unsigned width, unsigned height) {
    VideoFacts f;
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

TEST(BlackBars, AreEvenSoThatChromaIsNotCut) { expect_bars(found(boxed(320, 240, 8, {0, 0, 31, 33})), {0, 0, 30, 32}); }

TEST(BlackBars, AreNotSeenInBlackPictures) {
    expect_bars(found(Picture::allocate({PixelFormat::yuv400p, 8, 64, 48})), {});
}

TEST(BlackBars, EqualOnesStay) {
    const BarCuts cuts = cuts_for({{0, 0, 140, 140}, facts(1920, 1080)}, {{0, 0, 94, 92}, facts(1280, 720)});
    EXPECT_FALSE(cuts.reference);
    EXPECT_FALSE(cuts.distorted);
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
