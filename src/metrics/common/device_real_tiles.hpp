// Sums of tiles for scorers without integer sums (maps.md 6), of terms in device memory: the bits of RealTiles.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "metrics/common/real_tiles_kernel.hpp"
#include "metrics/device_scorer.hpp"
#include "metrics/real_tiles.hpp"

namespace vmaf {

class DeviceRealTiles {
  public:
    struct Image {
        RealTiles::Axis across, down;
    };
    // `sums`: of each image. A tile's words are those of its images, in order: each sum, then its number of samples.
    DeviceRealTiles(const TileGrid &grid, std::span<const Image> images, std::size_t sums, FrameMemory &results,
                    Device &device);

    // What is added: from a column to the next it is `across` terms, from a row to the next `down`.
    kernels::TileTerms floats(std::size_t image, kernels::FrameArray<float> terms, std::size_t across,
                              std::size_t down) const;
    kernels::TileTerms doubles(std::size_t image, kernels::FrameArray<kernels::u64> terms, std::size_t across,
                               std::size_t down) const;

    // The sums from number `first` of all images on, in one launch.
    void enqueue(Queue &queue, const DeviceBatch &batch, std::span<const kernels::TileTerms> terms,
                 std::size_t first = 0) const;
    void collect(const DeviceResult &from, FrameResult &result) const;

  private:
    struct Edges {
        std::vector<int> columns, rows;
        std::size_t place; // in the table: columns, then rows
    };
    kernels::TileTerms terms_of(std::size_t image, std::size_t across, std::size_t down) const;

    LoadedKernel kernel_;
    std::vector<Edges> images_;
    std::size_t sums_; // of an image
    int across_, down_;
    unsigned blocks_ = 1; // that a row of tiles needs
    std::unique_ptr<DeviceMemory> table_;
    Piece<kernels::u64> words_;
};

} // namespace vmaf
