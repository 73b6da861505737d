// Which tile a sample lies in (maps.md 1), for kernels that add up tiles.
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

// Of one scale, or one plane.
struct TileMap {
    Global<const u16> columns, rows; // of tiles: by column, by row of samples
    int across;                      // columns of tiles
};

// How many tiles from the first on `count` samples may reach into where edges are multiples of `unit` from the same
// origin.
VMAF_DEVICE_FN constexpr int most_tiles(int count, int unit) { return count > unit ? (count + unit - 1) / unit : 1; }

} // namespace kernels
} // namespace vmaf
