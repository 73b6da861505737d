// Sums over parts of a picture (maps.md 3): of unrounded terms, where a frame rounds the sum of each row.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/adm/plan.hpp"
#include "metrics/tiles.hpp"

namespace vmaf::adm {

// Exact for any number of rows: sums 32-bit parts separately.
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
inline constexpr std::size_t kTileWords = sizeof(Tile) / sizeof(std::int64_t), kScaleWords = kTileWords / kScales;

// The tiles of a scale, row by row of tiles. Their columns are cut at the sides of the scored window, so a row has more
// parts than tiles.
class ScaleTiles {
  public:
    // `tiles` must outlive it.
    void begin(const TileGrid &grid, const Window &window, int scale, std::span<Tile> tiles);
    bool wanted() const { return !tiles_.empty(); }
    void end() { tiles_ = {}; }

    std::span<const int> edges() const { return edges_; }
    // Room for a row's sums, part by part.
    std::vector<RowSums> &sums() { return sums_; }
    // Adds them to the tiles of the row. Returns the sum of the scored part.
    RowSums add(int row, std::array<WideSum, kBands> ScaleTile::*kind);

  private:
    std::span<Tile> tiles_;
    std::vector<int> edges_, part_tiles_;
    std::vector<RowSums> sums_;
    std::size_t first_scored_ = 0, end_scored_ = 0; // parts
    std::vector<int> row_tiles_;                    // per row
    int scale_ = 0, tile_columns_ = 0;
};

void add_tiles(std::span<const Tile> tiles, std::span<std::int64_t> words);
Tile tile_of(std::span<const std::int64_t> words);

// maps.md 3: adm2, aim, adm3 and the four scales of an area.
FrameScores area_scores(const Plan &plan, const Tile &sums, const PictureArea &area);

} // namespace vmaf::adm
