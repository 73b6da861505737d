// Sums over parts of a picture (maps.md 3): of terms as they are, where a frame rounds the sum of each row.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/adm/plan.hpp"
#include "metrics/tiles.hpp"

namespace vmaf::adm {

// Exact for any number of rows: parts of 32 bits are added up apart.
struct WideSum {
    std::int64_t high = 0, low = 0;

    void add(std::int64_t row) {
        high += row >> 32;
        low += std::int64_t(std::uint32_t(row));
    }
    double value() const { return double(high) * 4294967296.0 + double(low); }
};

struct ScaleTile {
    std::array<WideSum, kBands> den, num, aim;
};
using Tile = std::array<ScaleTile, kScales>;
inline constexpr std::size_t kTileWords = sizeof(Tile) / sizeof(std::int64_t);

// Columns of a scale that belong to one tile, all of them inside the scored window or none.
struct TileColumns {
    int from, to, tile;
    bool is_scored;
};

// Tiles of one scale, row by row of tiles.
class ScaleTiles {
  public:
    // `tiles` outlives it.
    void begin(const TileGrid &grid, const Window &window, int scale, std::span<Tile> tiles);
    bool wanted() const { return !tiles_.empty(); }
    void end() { tiles_ = {}; }

    const std::vector<TileColumns> &columns() const { return columns_; }
    ScaleTile &at(int row, int tile) {
        return tiles_[std::size_t(row_tiles_[std::size_t(row)]) * std::size_t(tile_columns_) + std::size_t(tile)]
                     [std::size_t(scale_)];
    }

  private:
    std::span<Tile> tiles_;
    std::vector<TileColumns> columns_;
    std::vector<int> row_tiles_; // of each row
    int scale_ = 0, tile_columns_ = 0;
};

void add_tiles(std::span<const Tile> tiles, std::span<std::int64_t> words);
Tile tile_of(std::span<const std::int64_t> words);

// maps.md 3: adm2, aim, adm3 and the four scales of an area.
FrameScores area_scores(const Plan &plan, const Tile &sums, const PictureArea &area);

} // namespace vmaf::adm
