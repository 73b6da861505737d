#include "io/component_copy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace component_copy_test {
namespace {

using namespace vmaf;

template <class T> PlaneTarget target(std::vector<T> &samples, unsigned width, unsigned height, unsigned bits) {
    samples.assign(width * height, T{});
    return {reinterpret_cast<std::byte *>(samples.data()), static_cast<std::ptrdiff_t>(width * sizeof(T)), width,
            height, bits};
}

template <class T> ComponentView view(const std::vector<T> &samples, std::ptrdiff_t width, unsigned bits) {
    constexpr std::ptrdiff_t bytes = sizeof(T);
    return {reinterpret_cast<const std::byte *>(samples.data()), bytes, width * bytes, bits, 0, bytes == 2, false};
}

const std::vector<std::uint8_t> kSix = {1, 2, 3, 4, 5, 6}; // three across, two down

TEST(ComponentCopy, MovesSamplesOfTheSameDepth) {
    std::vector<std::uint8_t> to;
    copy_component(view(kSix, 3, 8), target(to, 3, 2, 8));
    EXPECT_EQ(to, kSix);
}

TEST(ComponentCopy, ADeeperTargetGetsShiftedSamples) {
    std::vector<std::uint16_t> to;
    copy_component(view(kSix, 3, 8), target(to, 3, 2, 10));
    EXPECT_EQ(to, (std::vector<std::uint16_t>{4, 8, 12, 16, 20, 24}));
    const std::vector<std::uint16_t> ten = {1023, 1};
    copy_component(view(ten, 2, 10), target(to, 2, 1, 12));
    EXPECT_EQ(to, (std::vector<std::uint16_t>{4092, 4}));
}

TEST(ComponentCopy, TakesInterleavedSamples) {
    const std::vector<std::uint8_t> uv = {10, 20, 11, 21, 12, 22};
    ComponentView v = view(uv, 6, 8);
    v.first += 1;
    v.across = 2;
    std::vector<std::uint8_t> to;
    copy_component(v, target(to, 3, 1, 8));
    EXPECT_EQ(to, (std::vector<std::uint8_t>{20, 21, 22}));
}

TEST(ComponentCopy, TakesSamplesFromHighBitsAndOtherByteOrders) {
    const std::vector<std::uint16_t> high = {1023 << 6, 1 << 6};
    ComponentView v = view(high, 2, 10);
    v.shift = 6;
    std::vector<std::uint16_t> to;
    copy_component(v, target(to, 2, 1, 10));
    EXPECT_EQ(to, (std::vector<std::uint16_t>{1023, 1}));
    const std::vector<std::uint8_t> big = {0x03, 0xff, 0x00, 0x01};
    v = {reinterpret_cast<const std::byte *>(big.data()), 2, 4, 10, 0, true, true};
    copy_component(v, target(to, 2, 1, 10));
    EXPECT_EQ(to, (std::vector<std::uint16_t>{1023, 1}));
}

TEST(ComponentCopy, TurnsClockwise) {
    const auto turn = [](int clockwise, bool is_mirrored) {
        std::vector<std::uint8_t> to;
        const bool quarter = clockwise % 180 != 0;
        copy_component(turned(view(kSix, 3, 8), 3, 2, clockwise, is_mirrored),
                       target(to, quarter ? 2 : 3, quarter ? 3 : 2, 8));
        return to;
    };
    using V = std::vector<std::uint8_t>;
    EXPECT_EQ(turn(0, false), kSix);
    EXPECT_EQ(turn(90, false), (V{4, 1, 5, 2, 6, 3}));
    EXPECT_EQ(turn(180, false), (V{6, 5, 4, 3, 2, 1}));
    EXPECT_EQ(turn(270, false), (V{3, 6, 2, 5, 1, 4}));
    EXPECT_EQ(turn(0, true), (V{3, 2, 1, 6, 5, 4}));
    EXPECT_EQ(turn(180, true), (V{4, 5, 6, 1, 2, 3})); // upside down
}

TEST(ComponentCopy, MapsAndFills) {
    std::vector<std::uint8_t> to;
    const PlaneTarget plane = target(to, 3, 2, 8);
    fill_plane(plane, 7);
    EXPECT_EQ(to, std::vector<std::uint8_t>(6, 7));
    std::vector<std::uint16_t> table(256, 9);
    map_samples(plane, table);
    EXPECT_EQ(to, std::vector<std::uint8_t>(6, 9));
}

} // namespace
} // namespace component_copy_test
