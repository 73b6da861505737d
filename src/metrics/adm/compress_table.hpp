// How to move selected 32-bit lanes of a vector to its front.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vmaf::adm {

struct CompressTable {
    alignas(32)
        std::array<std::array<std::uint32_t, 8>, 256> lanes{}; // of 8 lanes, indexed by the bits of the selected ones
    alignas(16) std::array<std::array<std::uint8_t, 16>, 16> bytes{}; // of 4 lanes, in bytes

    constexpr CompressTable() {
        for (std::uint32_t bits = 0; bits < 256; bits++)
            for (std::uint32_t i = 0, n = 0; i < 8; i++)
                if (bits >> i & 1) lanes[bits][n++] = i;
        for (std::size_t bits = 0; bits < 16; bits++)
            for (std::uint32_t i = 0; i < 16; i++) bytes[bits][i] = std::uint8_t(4 * lanes[bits][i / 4] + i % 4);
    }
};
inline constexpr CompressTable kPositiveFirst;

} // namespace vmaf::adm
