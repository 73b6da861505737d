// Pictures imported plane by plane as surfaces.
#include "device/metal/imported_pictures.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "base/error.hpp"

namespace vmaf::imported_pictures_test {
namespace {

using metal::ImportedPictures;
using metal::SurfacePlane;

constexpr unsigned kWidth = 7, kHeight = 5;

// Rows of `components` interleaved samples, with padding; sample n of component c is first + 3 * n + 50 * c.
template <class Sample> struct Surface {
    Surface(unsigned width, unsigned height, unsigned components, unsigned first, unsigned shift = 0)
        : width_(width), height_(height), components_(components), shift_(shift), pitch_(width * components + 3),
          samples_(pitch_ * height, static_cast<Sample>(0xa5a5)) {
        for (unsigned y = 0; y < height; y++)
            for (unsigned x = 0; x < width; x++)
                for (unsigned c = 0; c < components; c++)
                    samples_[y * pitch_ + x * components + c] =
                        static_cast<Sample>((first + 3 * (y * width + x) + 50 * c) << shift);
    }
    SurfacePlane plane(unsigned component = 0) const {
        return {reinterpret_cast<const std::byte *>(samples_.data()),
                pitch_ * sizeof(Sample),
                width_,
                height_,
                components_,
                component,
                sizeof(Sample),
                shift_};
    }

  private:
    unsigned width_, height_, components_, shift_;
    std::size_t pitch_;
    std::vector<Sample> samples_;
};

template <class Sample> Sample sample(const Picture &picture, unsigned plane, unsigned x, unsigned y) {
    return picture.plane<Sample>(plane).row(static_cast<int>(y))[x];
}

TEST(ImportedPictures, TakesChromaComponentsApartAndLowersSamples) {
    ImportedPictures pictures(host_memory());
    const Surface<std::uint16_t> luma(kWidth, kHeight, 1, 100, 6),
        chroma((kWidth + 1) / 2, (kHeight + 1) / 2, 2, 20, 6);
    for (const bool is_ref : {false, true}) {
        EXPECT_THROW(pictures.take(4), Error); // planes are missing
        pictures.add(4, is_ref, 0, 10, kWidth, kHeight, luma.plane());
        pictures.add(4, is_ref, 2, 10, kWidth, kHeight, chroma.plane(1));
        pictures.add(4, is_ref, 1, 10, kWidth, kHeight, chroma.plane(0));
    }
    const auto [ref, dist] = pictures.take(4);
    EXPECT_THROW(pictures.take(4), Error); // already taken
    for (const Picture &picture : {ref, dist}) {
        EXPECT_EQ(picture.format(), (PictureFormat{PixelFormat::yuv420p, 10, kWidth, kHeight}));
        EXPECT_EQ(sample<std::uint16_t>(picture, 0, 6, 4), 100 + 3 * (4 * 7 + 6));
        EXPECT_EQ(sample<std::uint16_t>(picture, 1, 2, 1), 20 + 3 * (1 * 4 + 2)); // the surface has an extra column
        EXPECT_EQ(sample<std::uint16_t>(picture, 2, 2, 1), 20 + 3 * (1 * 4 + 2) + 50);
    }
}

TEST(ImportedPictures, TakesThreePlanesInAnyOrderOfAllFormats) {
    struct Case {
        PixelFormat format;
        unsigned width, height;
    };
    for (const Case c :
         {Case{PixelFormat::yuv420p, 3, 2}, Case{PixelFormat::yuv422p, 3, 5}, Case{PixelFormat::yuv444p, 7, 5}}) {
        ImportedPictures pictures(host_memory());
        const Surface<std::uint8_t> luma(kWidth, kHeight, 1, 10), blue(c.width, c.height, 1, 20),
            red(c.width, c.height, 1, 30);
        for (const bool is_ref : {true, false}) {
            pictures.add(0, is_ref, 1, 8, kWidth, kHeight, blue.plane());
            pictures.add(0, is_ref, 2, 8, kWidth, kHeight, red.plane());
            pictures.add(0, is_ref, 0, 8, kWidth, kHeight, luma.plane());
        }
        const auto [ref, dist] = pictures.take(0);
        EXPECT_EQ(dist.format().pixel_format, c.format);
        EXPECT_EQ(sample<std::uint8_t>(ref, 0, 1, 1), 10 + 3 * 8);
        EXPECT_EQ(sample<std::uint8_t>(ref, 1, 1, 1), 20 + 3 * (c.width + 1));
        EXPECT_EQ(sample<std::uint8_t>(dist, 2, 0, 0), 30);
    }
}

TEST(ImportedPictures, RefusesWhatDoesNotFit) {
    ImportedPictures pictures(host_memory());
    const Surface<std::uint8_t> luma(kWidth, kHeight, 1, 0), chroma(3, 2, 1, 0), wide(7, 5, 1, 0), odd(5, 5, 1, 0);
    const auto add = [&](unsigned plane, unsigned bits, unsigned width, const SurfacePlane &from) {
        pictures.add(1, true, plane, bits, width, kHeight, from);
    };
    EXPECT_THROW(add(3, 8, kWidth, luma.plane()), Error);
    EXPECT_THROW(add(0, 10, kWidth, luma.plane()), Error);    // too few bytes for 10 bits
    EXPECT_THROW(add(0, 8, kWidth + 1, luma.plane()), Error); // larger than the surface
    EXPECT_THROW(add(1, 8, kWidth, odd.plane()), Error);      // no format has such chroma
    EXPECT_THROW(add(0, 8, 0, luma.plane()), Error);
    add(0, 8, kWidth, luma.plane());
    EXPECT_THROW(add(1, 8, kWidth - 1, chroma.plane()), Error); // size of another picture
    add(1, 8, kWidth, chroma.plane());
    EXPECT_THROW(add(2, 8, kWidth, wide.plane()), Error); // of another format
    add(2, 8, kWidth, chroma.plane());
    EXPECT_THROW(pictures.take(1), Error); // the other picture is missing
}

TEST(ImportedPictures, DoNotPileUp) {
    ImportedPictures pictures(host_memory());
    const Surface<std::uint8_t> luma(kWidth, kHeight, 1, 0);
    for (unsigned i = 0; i < 64; i++) pictures.add(i, true, 0, 8, kWidth, kHeight, luma.plane());
    EXPECT_THROW(pictures.add(64, true, 0, 8, kWidth, kHeight, luma.plane()), Error);
    pictures.add(3, false, 0, 8, kWidth, kHeight, luma.plane());
}

} // namespace
} // namespace vmaf::imported_pictures_test
