#include "metrics/real_tiles.hpp"

namespace vmaf {

namespace {

// `end(i)`: luma pixel at which tile i ends.
template <class End> std::vector<int> first_samples(const RealTiles::Axis &axis, int tiles, const End &end) {
    std::vector<int> first = {0};
    int sample = 0;
    for (int tile = 0; tile < tiles; tile++) {
        while (sample < axis.samples && (tile + 1 == tiles || axis.pixel(sample) < end(tile))) sample++;
        first.push_back(sample);
    }
    return first;
}

} // namespace

std::vector<int> RealTiles::columns_of(const TileGrid &grid, const Axis &across) {
    return first_samples(across, grid.columns(), [&](int tile) { return grid.x(tile + 1); });
}

std::vector<int> RealTiles::rows_of(const TileGrid &grid, const Axis &down) {
    return first_samples(down, grid.rows(), [&](int tile) { return grid.y(tile + 1); });
}

RealTiles::RealTiles(const TileGrid &grid, const Axis &across, const Axis &down, std::vector<std::int64_t> &tiles,
                     std::size_t stride, std::size_t first)
    : tiles_(tiles.data() + first), columns_(std::size_t(grid.columns())), stride_(stride),
      begin_(columns_of(grid, across)) {
    const std::vector<int> rows = rows_of(grid, down);
    for (int tile = 0; tile < grid.rows(); tile++) row_of_.resize(std::size_t(rows[std::size_t(tile) + 1]), tile);
}

} // namespace vmaf
