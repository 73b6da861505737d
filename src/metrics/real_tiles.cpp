#include "metrics/real_tiles.hpp"

namespace vmaf {

RealTiles::RealTiles(const TileGrid &grid, const Axis &across, const Axis &down, std::vector<std::int64_t> &tiles,
                     std::size_t stride, std::size_t first)
    : tiles_(tiles.data() + first), columns_(std::size_t(grid.columns())), stride_(stride) {
    const auto luma = [](const Axis &axis, int i) { return i * axis.numerator / axis.denominator + axis.shift; };
    int x = 0;
    for (int tile = 0; tile < grid.columns(); tile++) {
        begin_.push_back(x);
        while (x < across.samples && (tile + 1 == grid.columns() || luma(across, x) < grid.x(tile + 1))) x++;
    }
    begin_.push_back(x);
    for (int y = 0, tile = 0; y < down.samples; y++) {
        while (tile + 1 < grid.rows() && luma(down, y) >= grid.y(tile + 1)) tile++;
        row_of_.push_back(tile);
    }
}

} // namespace vmaf
