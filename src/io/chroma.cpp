#include "io/chroma.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace vmaf {

namespace {

// Taps at offsets first, first + 1, ...; they sum to 128.
template <std::size_t N> struct Filter {
    std::array<int, N> taps;
    int first;
};
constexpr Filter<6> kRight = {{4, -17, 114, 35, -9, 1}, -2};
constexpr Filter<6> kLeft = {{1, -9, 35, 114, -17, 4}, -3};
constexpr Filter<4> kDoubleEven = {{1, 110, 18, -1}, -1};
constexpr Filter<4> kDoubleOdd = {{-3, 50, 86, -5}, -1};

// The filter at position x of a line of `count` samples, `step` apart; edge samples repeat outwards.
template <std::size_t N>
std::uint8_t filtered(const Filter<N> &filter, const std::uint8_t *line, int count, std::ptrdiff_t step, int x) {
    int sum = 64;
    for (std::size_t k = 0; k < N; k++)
        sum += filter.taps[k] * line[std::clamp(x + filter.first + static_cast<int>(k), 0, count - 1) * step];
    return static_cast<std::uint8_t>(std::clamp(sum >> 7, 0, 255));
}

void filter_columns(const Filter<6> &filter, std::span<const std::uint8_t> source, std::span<std::uint8_t> target,
                    ChromaSize size) {
    for (int y = 0; y < size.height; y++)
        for (int x = 0; x < size.width; x++)
            target[static_cast<std::size_t>(y) * size.width + x] =
                filtered(filter, source.data() + x, size.height, size.width, y);
}

} // namespace

void move_right(std::span<const std::uint8_t> source, std::span<std::uint8_t> target, ChromaSize size) {
    for (int y = 0; y < size.height; y++) {
        const std::size_t row = static_cast<std::size_t>(y) * size.width;
        for (int x = 0; x < size.width; x++) target[row + x] = filtered(kRight, source.data() + row, size.width, 1, x);
    }
}

void move_down(std::span<const std::uint8_t> source, std::span<std::uint8_t> target, ChromaSize size) {
    filter_columns(kRight, source, target, size);
}

void move_up(std::span<const std::uint8_t> source, std::span<std::uint8_t> target, ChromaSize size) {
    filter_columns(kLeft, source, target, size);
}

void double_width(std::span<const std::uint8_t> source, std::span<std::uint8_t> target, ChromaSize size,
                  int target_width) {
    for (int y = 0; y < size.height; y++) {
        const std::uint8_t *from = source.data() + static_cast<std::size_t>(y) * size.width;
        std::uint8_t *to = target.data() + static_cast<std::size_t>(y) * target_width;
        for (int x = 0; x < target_width; x++)
            to[x] = x % 2 == 0 ? filtered(kDoubleEven, from, size.width, 1, x / 2)
                               : filtered(kDoubleOdd, from, size.width, 1, x / 2);
    }
}

} // namespace vmaf
