// Chroma conversions of 8-bit YUV4MPEG2 input (cli-and-formats.md 10.3). Planes are tightly packed.
#pragma once

#include <cstdint>
#include <span>

namespace vmaf {

struct ChromaSize {
    int width = 0, height = 0;
};

// Moves sample sites right by a quarter sample, row by row.
void move_right(std::span<const std::uint8_t> source, std::span<std::uint8_t> target, ChromaSize size);
// The same, down and up each column.
void move_down(std::span<const std::uint8_t> source, std::span<std::uint8_t> target, ChromaSize size);
void move_up(std::span<const std::uint8_t> source, std::span<std::uint8_t> target, ChromaSize size);
// 4:1:1 to 4:2:2: rows of `size.width` samples become rows of `target_width`, which is twice that or one less.
void double_width(std::span<const std::uint8_t> source, std::span<std::uint8_t> target, ChromaSize size,
                  int target_width);

} // namespace vmaf
