// Lookup tables for the tiles of a picture (maps.md 1), in device memory for kernels.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "metrics/common/tile_map_kernel.hpp"
#include "metrics/device_scorer.hpp"

namespace vmaf {

class DeviceTiles {
  public:
    // An image with the picture's columns and rows, halved several times.
    struct Image {
        int across = 0, down = 0;
    };
    using Edge = int (*)(int edge, int shift); // edge_below or edge_above

    DeviceTiles(const TileGrid &grid, std::span<const Image> images, Edge edge, Device &device);

    std::size_t count() const { return count_; }
    kernels::TileMap of(std::size_t image) const;

  private:
    struct Place {
        std::size_t columns, rows, starts; // in the table
    };
    std::vector<Place> places_;
    std::unique_ptr<DeviceMemory> table_;
    std::size_t count_;
    int across_;
};

// FrameResult::tiles of these words.
void take_tiles(const kernels::u64 *words, std::size_t count, FrameResult &result);

} // namespace vmaf
