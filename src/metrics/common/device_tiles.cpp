#include "metrics/common/device_tiles.hpp"

#include <cstdint>
#include <cstring>

namespace vmaf {

DeviceTiles::DeviceTiles(const TileGrid &grid, std::span<const Image> images, Edge edge, Device &device)
    : count_(grid.count()), across_(grid.columns()) {
    std::vector<std::uint16_t> table;
    const auto add_axis = [&](int tiles, int shift, auto edge_of) {
        const std::size_t first = table.size();
        for (int tile = 0; tile < tiles; tile++)
            table.resize(first + std::size_t(edge(edge_of(tile + 1), shift)), std::uint16_t(tile));
        return first;
    };
    for (const Image &image : images) {
        const std::size_t columns = add_axis(grid.columns(), image.across, [&](int i) { return grid.x(i); });
        const std::size_t rows = add_axis(grid.rows(), image.down, [&](int i) { return grid.y(i); });
        places_.push_back({columns, rows, table.size()});
        for (int tile = 0; tile <= grid.columns(); tile++)
            table.push_back(std::uint16_t(edge(grid.x(tile), image.across)));
    }
    table_ = upload_table(device, table.data(), table.size() * sizeof table[0]);
}

kernels::TileMap DeviceTiles::of(std::size_t image) const {
    const auto *const table = reinterpret_cast<const kernels::u16 *>(table_->data());
    const Place &place = places_[image];
    return {table + place.columns, table + place.rows, table + place.starts, across_};
}

// Maps of 1080p have 360 KB in a frame, all of which the thread that collects results copies.
void take_tiles(const kernels::u64 *words, std::size_t count, FrameResult &result) {
    result.tiles.resize(count);
    std::memcpy(result.tiles.data(), words, count * sizeof words[0]);
}

} // namespace vmaf
