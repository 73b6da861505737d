// Parts of a picture to score in addition to the whole (maps.md): map cells, regions, and the tiles that metrics sum
// for both.
#pragma once

#include <cstddef>
#include <vector>

namespace vmaf {

// A rectangle of luma pixels.
struct PictureArea {
    int left = 0, top = 0, right = 0, bottom = 0; // right and bottom are exclusive

    int width() const { return right - left; }
    int height() const { return bottom - top; }
    bool operator==(const PictureArea &) const = default;
};

// Edges of areas are multiples of this, or the picture's end: so they are edges at every scale of a pyramid.
inline constexpr int kAreaUnit = 16;
// The smallest side for local scores. Every area then has pixels at every scale of its metrics.
inline constexpr int kSmallestMappedSide = 32;

// Edges of cells of `size` (a multiple of kAreaUnit) along a side: 0 ... length. A last cell below size / 2 joins its
// neighbour.
std::vector<int> cell_edges(int length, int size);

int usual_cell_size(int width);

// The smallest area with edges of cell_edges(.., kAreaUnit) that contains `wanted`, which must be inside the picture.
PictureArea snapped_area(const PictureArea &wanted, int width, int height);

// Cuts a picture along the edges of all areas: each area is a rectangle of whole tiles.
class TileGrid {
  public:
    TileGrid() = default;
    TileGrid(int width, int height, const std::vector<PictureArea> &areas);

    int columns() const { return int(x_.size()) - 1; }
    int rows() const { return int(y_.size()) - 1; }
    std::size_t count() const { return std::size_t(columns()) * std::size_t(rows()); }
    // Edge i, 0 ... columns() or rows(), in luma pixels.
    int x(int i) const { return x_[std::size_t(i)]; }
    int y(int i) const { return y_[std::size_t(i)]; }

    // The tiles of an area that the grid was made for.
    struct Block {
        int left, top, right, bottom;
    };
    Block block(const PictureArea &area) const;

    bool operator==(const TileGrid &) const = default;

  private:
    std::vector<int> x_{0}, y_{0};
};

// Edges in an image with 1 / 2^shift of the picture's columns: rounded down if an odd last one is dropped (vif,
// chroma), up if it is kept (wavelets).
constexpr int edge_below(int edge, int shift) { return edge >> shift; }
constexpr int edge_above(int edge, int shift) { return (edge + (1 << shift) - 1) >> shift; }

} // namespace vmaf
