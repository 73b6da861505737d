// Shared by the sweeps of `adm` and `float_adm`: rows of memory, shares of each scale, borders.
#pragma once

#include <array>
#include <cstddef>

#include "base/aligned.hpp"
#include "metrics/adm/plan.hpp"

namespace vmaf::adm {

inline constexpr int kRowMargin = 64; // elements around a row that functions may read and write

template <class T> using Rows = std::array<const T *, 4>;    // input rows 2i-1 .. 2i+2 of output row i
template <class T> using Bands = std::array<T *, kBands>;    // H, V, D
template <class T> using In = std::array<const T *, kBands>; // the same, read only

// A row with margins on both sides of element 0 .. length-1.
template <class T> class Row {
  public:
    Row() = default;
    explicit Row(int length) : memory_(std::size_t(length) + 2 * kRowMargin) {}
    T *get() { return memory_.data() + kRowMargin; }

  private:
    static_assert(kRowMargin * sizeof(T) % kAlignment == 0);
    AlignedArray<T> memory_;
};

template <class T> Bands<T> pointers(std::array<Row<T>, kBands> &rows, int at = 0) {
    return {rows[0].get() + at, rows[1].get() + at, rows[2].get() + at};
}
template <class T> In<T> inputs(std::array<Row<T>, kBands> &rows, int at = 0) {
    return {rows[0].get() + at, rows[1].get() + at, rows[2].get() + at};
}

// Rows or columns of a scale to work on. Nothing else is computed.
struct Range {
    int from = 0, to = 0;
    bool has(int i) const { return i >= from && i < to; }
    bool empty() const { return from >= to; }
};

Range hull(Range a, Range b);

// What a sweep computes at a scale.
struct Share {
    Range pooled; // rows whose sums belong to this sweep
    Range detail_rows, detail_columns;
    Range approx_rows, approx_columns; // band A, for the next scale
    Range rows() const { return hull(detail_rows, approx_rows); }
    Range columns() const { return hull(detail_columns, approx_columns); }
};

// Share `part` of `parts` of the scored rows; with `beyond_window`, of all rows and with all columns.
std::array<Share, kScales> make_shares(const std::array<Window, kScales> &windows, bool skip_scale0, int part,
                                       int parts, bool beyond_window = false);

// The number of shares worth their overlap: each recomputes about thirty picture rows of its neighbours.
int sensible_parts(int height, int threads);

// Section 1: mirror without the edge sample at the near end, with it at the far end.
constexpr int fold(int p, int n) { return p < 0 ? -p : p >= n ? 2 * n - 1 - p : p; }

// Masks extend one column beyond the band if `columns`, which have masks, touch its sides (1).
template <class T> void fold_mask(T *neighbour, Range columns, int width) {
    if (columns.from > 0) return;
    neighbour[-1] = neighbour[1];
    neighbour[width] = neighbour[width - 1];
}

// Border columns of a row stored one column late.
template <class T> void fold_approx(T *row, int width) {
    row[0] = row[2];
    row[width + 1] = row[width];
    row[width + 2] = row[width - 1];
}

// The three rows of masks that row `row` needs; edges as in section 1.
inline std::array<int, 3> mask_rows(int row, int height) {
    return {row == 0 ? 1 : row - 1, row, row == height - 1 ? row : row + 1};
}

} // namespace vmaf::adm
