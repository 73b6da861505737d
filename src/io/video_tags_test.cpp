#include "io/video_tags.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace vmaf {
namespace {

std::array<double, 9> turned_by(double degrees, double across, double down) {
    const double angle = degrees * std::numbers::pi / 180;
    return {across * std::cos(angle),
            down * std::sin(angle),
            0,
            -across * std::sin(angle),
            down * std::cos(angle),
            0,
            0,
            0,
            1};
}

constexpr double kTolerance = 0.5;

TEST(Orientation, FollowsADisplayMatrix) {
    for (const int degrees : {0, 90, 180, 270}) {
        const Orientation plain = orientation_of(turned_by(degrees, 1, 1), kTolerance);
        EXPECT_EQ(plain.rotation, degrees);
        EXPECT_FALSE(plain.is_mirrored);
        EXPECT_EQ(plain.odd_angle, 0);
    }
    EXPECT_TRUE(orientation_of({-1, 0, 0, 0, 1, 0, 0, 0, 1}, kTolerance).is_mirrored);
    EXPECT_EQ(orientation_of({-1, 0, 0, 0, 1, 0, 0, 0, 1}, kTolerance).rotation, 0);
    EXPECT_TRUE(orientation_of({1, 0, 0, 0, -1, 0, 0, 0, 1}, kTolerance).is_mirrored);
    EXPECT_EQ(orientation_of({1, 0, 0, 0, -1, 0, 0, 0, 1}, kTolerance).rotation, 180);
    EXPECT_EQ(orientation_of({0, 1, 0, 1, 0, 0, 0, 0, 1}, kTolerance).rotation, 270);
    EXPECT_TRUE(orientation_of({0, 1, 0, 1, 0, 0, 0, 0, 1}, kTolerance).is_mirrored);
    EXPECT_EQ(orientation_of({0, -1, 0, -1, 0, 0, 0, 0, 1}, kTolerance).rotation, 90);
    EXPECT_TRUE(orientation_of({0, -1, 0, -1, 0, 0, 0, 0, 1}, kTolerance).is_mirrored);
}

TEST(Orientation, KeepsAnAngleThatIsNoQuarter) {
    EXPECT_NEAR(orientation_of(turned_by(30, 1, 1), kTolerance).odd_angle, 30, 1e-9);
    EXPECT_NEAR(orientation_of(turned_by(-30, 2, 2), kTolerance).odd_angle, 330, 1e-9);
}

TEST(Orientation, IsAQuarterTurnWithinTheTolerance) {
    for (const double degrees : {89.3, 90.7}) {
        EXPECT_EQ(orientation_of(turned_by(degrees, 1, 1), 1).rotation, 90);
        EXPECT_NEAR(orientation_of(turned_by(degrees, 1, 1), kTolerance).odd_angle, degrees, 1e-9);
    }
    EXPECT_EQ(orientation_of(turned_by(-0.7, 1, 1), 1).odd_angle, 0);
}

TEST(Orientation, OfAMatrixWithoutAPictureIsUpright) { EXPECT_EQ(orientation_of({}, kTolerance).rotation, 0); }

} // namespace
} // namespace vmaf
