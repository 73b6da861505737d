#include "io/alignment.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace alignment_test {
namespace {

using namespace vmaf;

constexpr std::int64_t kFrame = 40'000'000;

// A picture with moving waves, seen through a gain and a lift.
Picture scene(double t, unsigned bits = 8, double gain = 1, double lift = 0) {
    const Picture picture = Picture::allocate({PixelFormat::yuv420p, bits, 88, 72});
    const double scale = std::ldexp(1.0, static_cast<int>(bits) - 8);
    for (int y = 0; y < 72; y++)
        for (int x = 0; x < 88; x++) {
            const double wave = 60 * std::sin(0.1 * x + 0.3 * t) + 40 * std::cos(0.14 * y - 0.21 * t);
            const double value = std::floor((gain * (128 + wave) + lift) * scale + 0.5);
            std::byte *const row = picture.data(0) + y * picture.stride_bytes(0);
            if (bits > 8)
                reinterpret_cast<std::uint16_t *>(row)[x] = static_cast<std::uint16_t>(value);
            else
                reinterpret_cast<std::uint8_t *>(row)[x] = static_cast<std::uint8_t>(value);
        }
    return picture;
}

std::vector<TimedSignature> clip(int frames, int delay = 0, std::int64_t interval = kFrame, double step = 1) {
    std::vector<TimedSignature> list;
    for (int i = 0; i < frames; i++) list.push_back({i * interval, luma_signature(scene((i - delay) * step))});
    return list;
}

TEST(Alignment, SignaturesDoNotDependOnDepth) {
    const LumaSignature a = luma_signature(scene(3)), b = luma_signature(scene(3, 10));
    for (std::size_t i = 0; i < a.blocks.size(); i++) EXPECT_NEAR(a.blocks[i], b.blocks[i], 0.5);
}

TEST(Alignment, BrightnessAndContrastAreNoDissimilarity) {
    const LumaSignature a = luma_signature(scene(3));
    EXPECT_LT(dissimilarity(a, luma_signature(scene(3, 8, 0.7, 20))).value(), 1e-4);
    EXPECT_GT(dissimilarity(a, luma_signature(scene(6))).value(), 0.05);
}

TEST(Alignment, FlatPicturesTellNothing) {
    const LumaSignature flat = luma_signature(Picture::allocate({PixelFormat::yuv420p, 8, 64, 48}));
    EXPECT_FALSE(dissimilarity(flat, flat));
    EXPECT_FALSE(dissimilarity(flat, luma_signature(scene(1, 8, 0.05, 0))));
    EXPECT_EQ(dissimilarity(flat, luma_signature(scene(1))), 1.0);
}

TEST(Alignment, PicturesSmallerThanTheGridHaveSignaturesToo) {
    EXPECT_EQ(luma_signature(Picture::allocate({PixelFormat::yuv420p, 8, 16, 8})).mean, 0);
}

TEST(Alignment, ClipsInStepHaveNoOffset) {
    const auto found = find_offset(clip(30), clip(30), {2'000'000'000, kFrame});
    EXPECT_EQ(found.offset, 0);
    EXPECT_FALSE(found.is_clear);
    EXPECT_TRUE(found.is_same);
}

TEST(Alignment, AConstantOffsetIsFound) {
    for (const int delay : {-20, -3, -1, 1, 3, 20}) {
        const auto found = find_offset(clip(60), clip(60, delay), {2'000'000'000, kFrame});
        EXPECT_EQ(found.offset, delay * kFrame);
        EXPECT_TRUE(found.is_clear);
    }
}

TEST(Alignment, AnOffsetIsFoundAtHalfTheRate) {
    const auto found = find_offset(clip(60), clip(30, 2, 2 * kFrame, 2), {2'000'000'000, kFrame});
    EXPECT_EQ(found.offset, 4 * kFrame);
    EXPECT_TRUE(found.is_clear);
}

TEST(Alignment, AnOffsetBeyondTheSearchIsNotFound) {
    EXPECT_NE(find_offset(clip(60), clip(60, 20), {10 * kFrame, kFrame}).offset, 20 * kFrame);
}

TEST(Alignment, AStillSceneHasNoClearOffset) {
    EXPECT_FALSE(find_offset(clip(30, 0, kFrame, 0), clip(30, 0, kFrame, 0), {2'000'000'000, kFrame}).is_clear);
}

TEST(Alignment, OtherPicturesAreReported) {
    auto other = clip(30);
    for (auto &frame : other) // as if upside down
        for (float &block : frame.signature.blocks) block = 2 * frame.signature.mean - block;
    EXPECT_FALSE(find_offset(clip(30, 0, kFrame, 0.01), other, {4 * kFrame, kFrame}).is_same);
}

TEST(Alignment, UsualGapsAreMeansOfRoundedOnes) {
    std::vector<TimedSignature> frames;
    for (int i = 0; i < 60; i++)
        if (i != 30) frames.push_back({(i * 33'366'667LL + 500'000) / 1'000'000 * 1'000'000, {}});
    EXPECT_NEAR(static_cast<double>(usual_gap(frames)), 33'366'667, 50'000);
    EXPECT_EQ(usual_gap({}), 0);
}

TEST(Alignment, AWatchSeesOffsetsThatBeginLater) {
    AlignmentWatch watch;
    for (int i = 0; i < 300; i++) {
        watch.reference(i * kFrame, luma_signature(scene(i)));
        watch.distorted(i * kFrame, luma_signature(scene(i < 100 ? i : i + 1)));
        if (i == 90) {
            EXPECT_FALSE(watch.check(2'000'000'000).is_clear);
        }
    }
    const auto found = watch.check(2'000'000'000);
    EXPECT_TRUE(found.is_clear);
    EXPECT_EQ(found.offset, -kFrame);
}

TEST(Alignment, LevelsTellWhichRangeSamplesHave) {
    const auto change = [](double gain, double lift) {
        LevelFit fit;
        for (int i = 0; i < 5; i++) fit.add(luma_signature(scene(i)), luma_signature(scene(i, 8, gain, lift)));
        return level_change(fit.line().value());
    };
    EXPECT_EQ(change(1, 0), LevelChange::none);
    EXPECT_EQ(change(219.0 / 255, 16), LevelChange::narrowed);
    EXPECT_EQ(change(255.0 / 219, -16 * 255.0 / 219), LevelChange::widened);
    EXPECT_EQ(change(0.95, 3), LevelChange::none);
    EXPECT_FALSE(LevelFit().line());
}

} // namespace
} // namespace alignment_test
