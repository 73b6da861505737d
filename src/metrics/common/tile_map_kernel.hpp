// Maps samples to tiles (maps.md 1), for kernels that sum tiles.
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

// Of a scale or a plane.
struct TileMap {
    Global<const u16> columns, rows; // of tiles: by column, by row of samples
    Global<const u16> starts;        // first column of each column of tiles, then the end
    int across;                      // columns of tiles
};

// The most tiles that `count` consecutive samples can touch if edges are multiples of `unit` from the same
// origin.
VMAF_DEVICE_FN constexpr int most_tiles(int count, int unit) { return count > unit ? (count + unit - 1) / unit : 1; }

} // namespace kernels
} // namespace vmaf
