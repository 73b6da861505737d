// `ciede`: recorded reference scores, its treatment of chroma, limits.
#include "metrics/ciede/ciede.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "metrics/ciede/chroma_rows.hpp"
#include "metrics/ciede/colour.hpp"
#include "support/clip.hpp"
#include "support/metric_run.hpp"

namespace vmaf::ciede_test {
namespace {

double score(int width, int height, std::string format, int depth, std::string scene, std::string distortion,
             unsigned frame) {
    clipgen::Options clip;
    clip.width = width;
    clip.height = height;
    clip.format = std::move(format);
    clip.depth = depth;
    clip.scene = std::move(scene);
    const Picture ref = clip_frame(clip, frame);
    clip.distort = std::move(distortion);
    return run_metric(ciede_metric, {}, {ref}, {clip_frame(clip, frame)}).at("ciede2000", 0);
}

// Every sample encodes its position.
Picture marked(PixelFormat format, unsigned width, unsigned height) {
    const Picture picture = Picture::allocate({format, 16, width, height});
    for (unsigned p = 1; p < 3; p++) {
        const PlaneView<std::uint16_t> view = picture.plane<std::uint16_t>(p);
        auto *const data = reinterpret_cast<std::uint16_t *>(picture.data(p));
        for (int y = 0; y < view.height; y++)
            for (int x = 0; x < view.width; x++) data[y * view.stride + x] = std::uint16_t(10000 * p + 100 * y + x);
    }
    return picture;
}

TEST(Ciede, GivesTheRecordedScores) {
    EXPECT_EQ(score(352, 288, "420", 8, "street", "dct:60", 1), 38.544804673729445);
    EXPECT_EQ(score(352, 288, "444", 10, "street", "dct:60", 1), 38.970318163516566);
    EXPECT_EQ(score(192, 180, "420", 16, "street", "dct:30", 0), 39.719055785368312);
}

TEST(Ciede, HalvesRowsInsteadOfColumnsIn422) {
    EXPECT_EQ(score(178, 180, "422", 8, "street", "dct:40", 0), 40.382141450114979);
    EXPECT_EQ(score(184, 178, "422", 16, "noise", "blur:3", 0), 12.823805099020049);
    const Picture picture = marked(PixelFormat::yuv422p, 68, 6); // chroma 34 wide, pitch 64
    ChromaRows<std::uint16_t> rows(68);
    rows.select(picture, 3);
    EXPECT_EQ(rows.cb()[33], 10133);
    EXPECT_EQ(rows.cb()[34], 0);
    EXPECT_EQ(rows.cr()[63], 0);
    EXPECT_EQ(rows.cr()[65], 20201);
}

TEST(Ciede, OddSizesIn420LookBeyondTheChromaPlane) {
    const Picture narrow = marked(PixelFormat::yuv420p, 65, 5); // chroma 32x2, pitch 32
    ChromaRows<std::uint16_t> rows(65);
    rows.select(narrow, 1);
    EXPECT_EQ(rows.cb()[63], 10031);
    EXPECT_EQ(rows.cb()[64], 10100); // column 0 of the next row
    rows.select(narrow, 2);
    EXPECT_EQ(rows.cb()[64], 20000); // Cr follows Cb
    EXPECT_EQ(rows.cr()[64], 0);     // nothing follows Cr
    rows.select(narrow, 4);
    EXPECT_EQ(rows.cb()[2], 20001);
    EXPECT_EQ(rows.cr()[2], 0);
    const Picture padded = marked(PixelFormat::yuv420p, 67, 4); // chroma 33 wide, pitch 64
    ChromaRows<std::uint16_t> wide(67);
    wide.select(padded, 0);
    EXPECT_EQ(wide.cr()[65], 20032);
    EXPECT_EQ(wide.cr()[66], 0);
}

TEST(Ciede, EqualPicturesScoreInfinity) { EXPECT_EQ(score(40, 30, "420", 8, "street", "none", 0), INFINITY); }

TEST(Ciede, EqualColoursHaveNoDifference) {
    for (int y = 0; y < 256; y += 15)
        for (int cb = 0; cb < 256; cb += 51)
            for (int cr = 0; cr < 256; cr += 51) {
                const Lab colour = lab_from_ycbcr(y, cb, cr, 8);
                EXPECT_EQ(ciede2000_difference(colour, colour), 0.0f);
            }
}

TEST(Ciede, OtherDepthsAndMissingChromaAreRefused) {
    const auto metric = ciede_metric.create(OptionValues("ciede", {}, {}));
    for (unsigned bits : {9u, 11u, 13u, 14u, 15u})
        EXPECT_THROW(metric->prepare({PixelFormat::yuv420p, bits, 64, 64}), Error) << bits;
    EXPECT_THROW(metric->prepare({PixelFormat::yuv400p, 8, 64, 64}), Error);
    EXPECT_NO_THROW(metric->prepare({PixelFormat::yuv422p, 16, 1, 1}));
}

} // namespace
} // namespace vmaf::ciede_test
