#include "metrics/adm/tile_sums.hpp"

#include <algorithm>
#include <bit>

namespace vmaf::adm {

void ScaleTiles::begin(const TileGrid &grid, const Window &window, int scale, std::span<Tile> tiles) {
    tiles_ = tiles;
    scale_ = scale;
    tile_columns_ = grid.columns();
    edges_.assign(1, 0);
    part_tiles_.clear();
    row_tiles_.clear();
    first_scored_ = end_scored_ = 0;
    for (int tile = 0; tile < grid.columns(); tile++) {
        const int end = edge_above(grid.x(tile + 1), scale + 1);
        for (int from = edge_above(grid.x(tile), scale + 1); from < end;) {
            int to = end; // clipped to the window
            for (const int side : {window.left, window.right})
                if (side > from) to = std::min(to, side);
            part_tiles_.push_back(tile);
            if (to <= window.left) first_scored_ = part_tiles_.size();
            if (to <= window.right) end_scored_ = part_tiles_.size();
            edges_.push_back(to);
            from = to;
        }
    }
    sums_.assign(part_tiles_.size(), RowSums{});
    for (int tile = 0; tile < grid.rows(); tile++)
        row_tiles_.resize(std::size_t(edge_above(grid.y(tile + 1), scale + 1)), tile);
}

RowSums ScaleTiles::add(int row, std::array<WideSum, kBands> ScaleTile::*kind) {
    Tile *const tiles = tiles_.data() + std::size_t(row_tiles_[std::size_t(row)]) * std::size_t(tile_columns_);
    for (std::size_t i = 0; i < sums_.size(); i++) {
        std::array<WideSum, kBands> &total = tiles[part_tiles_[i]][std::size_t(scale_)].*kind;
        for (std::size_t b = 0; b < kBands; b++) total[b].add(sums_[i][b]);
    }
    std::array<std::uint64_t, kBands> scored{}; // may wrap, like the frame's
    for (std::size_t i = first_scored_; i < end_scored_; i++)
        for (std::size_t b = 0; b < kBands; b++) scored[b] += std::uint64_t(sums_[i][b]);
    return {std::int64_t(scored[0]), std::int64_t(scored[1]), std::int64_t(scored[2])};
}

void add_tiles(std::span<const Tile> tiles, std::span<std::int64_t> words) {
    std::size_t at = 0;
    for (const Tile &tile : tiles)
        for (const std::int64_t word : std::bit_cast<std::array<std::int64_t, kTileWords>>(tile)) words[at++] += word;
}

Tile tile_of(std::span<const std::int64_t> words) {
    std::array<std::int64_t, kTileWords> all{};
    std::copy_n(words.begin(), kTileWords, all.begin());
    return std::bit_cast<Tile>(all);
}

FrameScores area_scores(const Plan &plan, const Tile &sums, const PictureArea &area) {
    std::array<ScaleValues, kScales> values;
    for (int s = 0; s < kScales; s++) {
        if (s == 0 && plan.options.skip_scale0) continue;
        const auto count = [&](int from, int to) { return edge_above(to, s + 1) - edge_above(from, s + 1); };
        const int coefficients = count(area.left, area.right) * count(area.top, area.bottom);
        const ScaleTile &tile = sums[std::size_t(s)];
        BandValues bands;
        for (std::size_t b = 0; b < kBands; b++) {
            bands.den[b] = tile.den[b].value() / den_unit(plan.scale[std::size_t(s)], s, 0);
            const double unit = num_unit(plan.scale[std::size_t(s)], s, b, 0);
            bands.num[b] = float(tile.num[b].value() / unit);
            bands.aim[b] = float(tile.aim[b].value() / unit);
        }
        values[std::size_t(s)] =
            pooled_values(plan.scale[std::size_t(s)], coefficients * plan.options.noise_weight, bands);
    }
    return combined_scores(plan.options, values, std::int64_t(area.width()) * area.height());
}

} // namespace vmaf::adm
