// Shared parts of the float metrics: borders, sample conversion, filters, scaling.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "metrics/common/float_filter.hpp"
#include "metrics/common/float_plane.hpp"
#include "metrics/common/reflect.hpp"
#include "metrics/common/resize.hpp"

namespace vmaf::common_test {
namespace {

// Without symmetry.
FloatPlane test_plane(int width, int height) {
    FloatPlane plane(width, height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) plane.row(y)[x] = float((17 * x + 29 * y + 3 * x * y) % 256) * 0.37f - 40.0f;
    return plane;
}

TEST(Reflect, MirrorsWithoutRepeatingTheEdgeAsOftenAsNeeded) {
    EXPECT_EQ(reflect(-1, 5), 1);
    EXPECT_EQ(reflect(5, 5), 3);
    EXPECT_EQ(reflect(-5, 3), 1);
    EXPECT_EQ(reflect(8, 3), 0);
    EXPECT_EQ(reflect(-7, 2), 1);
    EXPECT_EQ(reflect(3, 1), 0);
}

TEST(FloatPlane, SamplesOfEveryDepthComeToTheEightBitScale) {
    for (unsigned bits = 8; bits <= 16; bits++) {
        const Picture picture = Picture::allocate({PixelFormat::yuv420p, bits, 20, 18});
        const unsigned top = (1u << bits) - 1;
        if (bits == 8)
            picture.data(1)[picture.stride_bytes(1)] = std::byte(top);
        else
            *reinterpret_cast<std::uint16_t *>(picture.data(1) + picture.stride_bytes(1)) = std::uint16_t(top);
        FloatPlane plane(10, 9);
        to_float(picture, 1, -128.0f, plane);
        EXPECT_EQ(plane.row(0)[0], -128.0f);
        EXPECT_EQ(plane.row(1)[0], float(double(top) / double(1u << (bits - 8)) - 128.0));
    }
}

TEST(GaussianTaps, AreTheFloatsOfTheSpecification) {
    // vif.md 3.4 and speed.md 11
    const std::vector<float> vif0 = gaussian_taps(17, 17.0f / 5.0f);
    constexpr std::uint32_t expected[] = {0x3bf453b8, 0x3c69b9d9, 0x3ccd0e7b, 0x3d24fecf, 0x3d738495,
                                          0x3da4d021, 0x3dcc9a86, 0x3de8f3b3, 0x3df33fb2};
    for (std::size_t i = 0; i < 17; i++)
        EXPECT_EQ(std::bit_cast<std::uint32_t>(vif0[i]), expected[i < 9 ? i : 16 - i]) << i;
    const std::vector<float> speed9 = gaussian_taps(9, 3.6f);
    EXPECT_EQ(speed9[0], 0x1.35db8cp-4f);
    EXPECT_EQ(speed9[4], 0x1.1f3866p-3f);
    const std::vector<float> speed3 = gaussian_taps(3, 0.6f);
    EXPECT_EQ(speed3[0], 0x1.54be42p-3f);
    EXPECT_EQ(speed3[1], 0x1.55a0dep-1f);
    const std::vector<float> speed19 = gaussian_taps(19, 7.6f);
    EXPECT_EQ(speed19[0], 0x1.0e517ap-5f);
    EXPECT_EQ(speed19[9], 0x1.107f6ap-4f);
}

TEST(GaussianTaps, LengthsFollowTheKernelScale) {
    struct Row {
        float scale;
        int length[4];
    };
    constexpr Row rows[] = {{1.0f, {17, 9, 5, 3}},       {0.5f, {9, 5, 3, 3}},       {2.0f, {35, 19, 11, 7}},
                            {2.4f, {41, 23, 13, 9}},     {3.0f, {51, 27, 15, 9}},    {360.0f / 97, {65, 35, 19, 13}},
                            {4.25f / 3, {25, 13, 9, 5}}, {1.0003f, {19, 11, 7, 5}},  {2.0f / 3, {13, 7, 5, 3}},
                            {1.6f, {29, 15, 9, 5}},      {1.111111f, {19, 11, 7, 5}}};
    for (const Row &row : rows) {
        EXPECT_TRUE(kernel_scale_allowed(row.scale)) << row.scale;
        for (int level = 0; level < 4; level++)
            EXPECT_EQ(gaussian_length(level, row.scale), row.length[level]) << row.scale << " level " << level;
    }
    EXPECT_EQ(gaussian_length(4, 2.0f), 5);
    EXPECT_FALSE(kernel_scale_allowed(0.9f));
    EXPECT_FALSE(kernel_scale_allowed(1.002f));
}

TEST(FloatFilter, AddsTapsInOrderVerticallyThenHorizontally) {
    const std::vector<float> taps = gaussian_taps(9, 1.8f);
    for (const auto &[width, height] : {std::pair(37, 19), {5, 5}, {1, 7}, {3, 2}, {64, 1}}) {
        const FloatPlane in = test_plane(width, height);
        for (int step : {1, 2}) {
            FloatPlane out((width + step - 1) / step, (height + step - 1) / step);
            FloatFilter(taps, width).plane(in.view(), step, out);
            for (int y = 0; y < out.height(); y++)
                for (int x = 0; x < out.width(); x++) {
                    volatile float sum = 0.0f; // volatile: rounds every step
                    for (int j = 0; j < 9; j++) {
                        volatile float column = 0.0f;
                        for (int k = 0; k < 9; k++) {
                            volatile float product =
                                taps[std::size_t(k)] *
                                in.row(reflect(y * step - 4 + k, height))[reflect(x * step - 4 + j, width)];
                            column = column + product;
                        }
                        volatile float product = taps[std::size_t(j)] * column;
                        sum = sum + product;
                    }
                    ASSERT_EQ(out.row(y)[x], sum) << width << "x" << height << " at " << x << "," << y;
                }
        }
    }
}

TEST(Resize, ToTheSameSizeCopies) {
    const FloatPlane in = test_plane(7, 5);
    for (ResizeMethod method :
         {ResizeMethod::nearest, ResizeMethod::bilinear, ResizeMethod::bicubic, ResizeMethod::lanczos4}) {
        FloatPlane out(7, 5);
        Resizer(7, 5, 7, 5, method).plane(in.view(), out);
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 7; x++) EXPECT_EQ(out.row(y)[x], in.row(y)[x]);
    }
}

TEST(Resize, NearestTakesTheTruncatedPosition) {
    const FloatPlane in = test_plane(9, 6);
    FloatPlane out(4, 4);
    Resizer(9, 6, 4, 4, ResizeMethod::nearest).plane(in.view(), out);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) EXPECT_EQ(out.row(y)[x], in.row(y * 3 / 2)[x * 9 / 4]);
}

TEST(Resize, BilinearExtrapolatesLeftOfTheFirstSample) {
    FloatPlane in(2, 2);
    in.row(0)[0] = in.row(1)[0] = 10.0f;
    in.row(0)[1] = in.row(1)[1] = 20.0f;
    FloatPlane out(4, 2);
    Resizer(2, 2, 4, 2, ResizeMethod::bilinear).plane(in.view(), out);
    // Position -0.25: neighbours 1 and 0, offset -1.25, weights 2.25 and -1.25 (vif.md 3.3).
    EXPECT_EQ(out.row(0)[0], 2.25f * 20.0f - 1.25f * 10.0f);
    EXPECT_EQ(out.row(0)[1], 12.5f);
    EXPECT_EQ(out.row(0)[2], 17.5f);
    EXPECT_EQ(out.row(0)[3], 0.75f * 20.0f + 0.25f * 10.0f + 0.0f - 0.0f);
}

TEST(Resize, KernelMethodsKeepFlatPlanesFlat) {
    FloatPlane in(11, 13);
    for (int y = 0; y < 13; y++)
        for (int x = 0; x < 11; x++) in.row(y)[x] = 64.0f;
    for (ResizeMethod method : {ResizeMethod::bicubic, ResizeMethod::lanczos4}) {
        FloatPlane out(17, 8);
        Resizer(11, 13, 17, 8, method).plane(in.view(), out);
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 17; x++) EXPECT_NEAR(out.row(y)[x], 64.0f, 1e-4f);
    }
}

TEST(Resize, RefusesUnknownMethodsAndTinySources) {
    EXPECT_EQ(resize_method("m", "o", "lanczos4"), ResizeMethod::lanczos4);
    try {
        resize_method("float_vif", "vif_prescale_method", "area");
        ADD_FAILURE();
    } catch (const Error &e) {
        const std::string sentence = e.what();
        for (const char *part : {"float_vif", "vif_prescale_method", "area", "bicubic"})
            EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
    }
    EXPECT_THROW(Resizer(5, 9, 20, 20, ResizeMethod::lanczos4), Error);
    EXPECT_NO_THROW(Resizer(6, 6, 20, 20, ResizeMethod::lanczos4));
}

} // namespace
} // namespace vmaf::common_test
