// Sums over parts of a picture (maps.md 3): of unrounded terms, where a frame rounds the sum of each row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "metrics/adm/plan.hpp"
#include "metrics/tiles.hpp"

namespace vmaf::adm {

// Exact for any number of rows: sums 32-bit parts separately.
struct WideSum {
    std::int64_t high = 0, low = 0;

    void add(std::int64_t sum) {
        high += sum >> 32;
        low += std::int64_t(std::uint32_t(sum));
    }
    WideSum &operator+=(const WideSum &other) {
        high += other.high;
        low += other.low;
        return *this;
    }
    double value() const { return double(high) * 4294967296.0 + double(low); }
};

struct ScaleTile {
    std::array<WideSum, kBands> den, num, aim;
};
using Tile = std::array<ScaleTile, kScales>;
inline constexpr std::size_t kTileWords = sizeof(Tile) / sizeof(std::int64_t), kScaleWords = kTileWords / kScales;

// Totals of columns. An element has four columns at scale 0; at other scales even columns come first, and odd ones
// `odd` elements later.
struct ColumnTotals {
    std::array<std::int64_t *, kBands> at;
    std::ptrdiff_t odd;
};
inline constexpr int kColumnsPerTotal0 = 4; // tile edges are multiples of it, except the last

// The tiles of a scale. Adds up columns first, and at the end of a row of tiles the columns of each tile.
class ScaleTiles {
  public:
    enum Kind : std::size_t { kDen, kNum, kAim, kKinds };

    // `tiles` must outlive it.
    void begin(const TileGrid &grid, const ScalePlan &plan, int scale, std::span<Tile> tiles);
    bool wanted() const { return !tiles_.empty(); }
    // Returns the totals for a row's terms. Call it in row order.
    ColumnTotals row(int row, Kind kind);
    // Call it after the last row.
    void end();

  private:
    struct Totals {
        AlignedArray<std::int64_t> sums; // [band][element]
        int rows = 0, tile_row = 0;      // rows that `sums` include
    };
    struct Run { // of elements
        int from, to, tile;
    };
    void hand_over(Kind kind);

    std::span<Tile> tiles_;
    std::array<Totals, kKinds> totals_;
    std::vector<Run> runs_;
    std::vector<int> row_tiles_; // per row
    std::ptrdiff_t odd_ = 0;
    int scale_ = 0, tile_columns_ = 0, most_rows_ = 0;
};

void add_tiles(std::span<const Tile> tiles, std::span<std::int64_t> words);
Tile tile_of(std::span<const std::int64_t> words);

// maps.md 3: adm2, aim, adm3 and the four scales of an area.
FrameScores area_scores(const Plan &plan, const Tile &sums, const PictureArea &area);

} // namespace vmaf::adm
