#include "metrics/adm/tile_sums.hpp"

#include <algorithm>
#include <bit>

#include "metrics/adm/sweep_parts.hpp"

namespace vmaf::adm {

namespace {

// How many rows keep totals below 2^63: terms are below 2^62 / 2^c (3.6, 3.8).
int rows_that_fit(const ScalePlan &plan, int scale) {
    int shift = *std::min_element(plan.num_term_shift.begin(), plan.num_term_shift.end());
    if (scale > 0) shift = std::min(shift, plan.den_term_shift);
    const int columns = scale == 0 ? kColumnsPerTotal0 : 1;
    return std::max(1, (2 << std::clamp(shift, 0, 16)) / columns);
}

} // namespace

void ScaleTiles::begin(const TileGrid &grid, const ScalePlan &plan, int scale, std::span<Tile> tiles) {
    tiles_ = tiles;
    scale_ = scale;
    tile_columns_ = grid.columns();
    most_rows_ = rows_that_fit(plan, scale);
    odd_ = scale == 0 ? 0 : round_up(plan.window.width / 2 + kRowMargin, kRowMargin);
    const std::size_t length = std::size_t(scale == 0 ? round_up(plan.window.width, kRowMargin) : 2 * odd_);
    runs_.clear();
    row_tiles_.clear();
    for (int tile = 0; tile < grid.columns(); tile++) {
        const int from = edge_above(grid.x(tile), scale + 1), end = edge_above(grid.x(tile + 1), scale + 1);
        if (scale == 0) {
            runs_.push_back({from / kColumnsPerTotal0, round_up(end, kColumnsPerTotal0) / kColumnsPerTotal0, tile});
        } else {
            runs_.push_back({(from + 1) / 2, (end + 1) / 2, tile});
            runs_.push_back({from / 2 + int(odd_), end / 2 + int(odd_), tile});
        }
    }
    for (int tile = 0; tile < grid.rows(); tile++)
        row_tiles_.resize(std::size_t(edge_above(grid.y(tile + 1), scale + 1)), tile);
    for (Totals &totals : totals_)
        if (totals.sums.size() != kBands * length) totals.sums = AlignedArray<std::int64_t>(kBands * length);
}

ColumnTotals ScaleTiles::row(int row, Kind kind) {
    Totals &totals = totals_[kind];
    const int tile_row = row_tiles_[std::size_t(row)];
    if (totals.rows == most_rows_ || (totals.rows > 0 && tile_row != totals.tile_row)) hand_over(kind);
    totals.tile_row = tile_row;
    totals.rows++;
    const std::size_t length = totals.sums.size() / kBands;
    return {{totals.sums.data(), totals.sums.data() + length, totals.sums.data() + 2 * length}, odd_};
}

void ScaleTiles::end() {
    for (const Kind kind : {kDen, kNum, kAim})
        if (totals_[kind].rows > 0) hand_over(kind);
}

void ScaleTiles::hand_over(Kind kind) {
    constexpr std::array kMembers = {&ScaleTile::den, &ScaleTile::num, &ScaleTile::aim};
    Totals &totals = totals_[kind];
    Tile *const tiles = tiles_.data() + totals.tile_row * tile_columns_;
    const std::size_t length = totals.sums.size() / kBands;
    for (std::size_t b = 0; b < kBands; b++) {
        const std::int64_t *const sums = totals.sums.data() + b * length;
        for (const Run &run : runs_) {
            WideSum total;
            for (int i = run.from; i < run.to; i++) total.add(sums[i]);
            (tiles[run.tile][std::size_t(scale_)].*kMembers[kind])[b] += total;
        }
    }
    std::fill_n(totals.sums.data(), totals.sums.size(), 0);
    totals.rows = 0;
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
