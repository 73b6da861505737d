#include "metrics/tiles.hpp"

#include <algorithm>

namespace vmaf {

std::vector<int> cell_edges(int length, int size) {
    std::vector<int> edges;
    for (int edge = 0; edge < length; edge += size) edges.push_back(edge);
    if (edges.size() > 1 && length - edges.back() < size / 2) edges.pop_back();
    edges.push_back(length);
    return edges;
}

int usual_cell_size(int width) { return width < 960 ? 32 : 64; }

PictureArea snapped_area(const PictureArea &wanted, int width, int height) {
    const auto before = [](const std::vector<int> &edges, int at) {
        return *(std::upper_bound(edges.begin(), edges.end() - 1, at) - 1);
    };
    const auto after = [](const std::vector<int> &edges, int at) {
        return *std::lower_bound(edges.begin() + 1, edges.end(), at);
    };
    const std::vector<int> x = cell_edges(width, kAreaUnit), y = cell_edges(height, kAreaUnit);
    return {before(x, wanted.left), before(y, wanted.top), after(x, wanted.right), after(y, wanted.bottom)};
}

TileGrid::TileGrid(int width, int height, const std::vector<PictureArea> &areas) : x_{0, width}, y_{0, height} {
    for (const PictureArea &area : areas) {
        x_.insert(x_.end(), {area.left, area.right});
        y_.insert(y_.end(), {area.top, area.bottom});
    }
    for (std::vector<int> *edges : {&x_, &y_}) {
        std::sort(edges->begin(), edges->end());
        edges->erase(std::unique(edges->begin(), edges->end()), edges->end());
    }
}

TileGrid::Block TileGrid::block(const PictureArea &area) const {
    const auto at = [](const std::vector<int> &edges, int edge) {
        return int(std::lower_bound(edges.begin(), edges.end(), edge) - edges.begin());
    };
    return {at(x_, area.left), at(y_, area.top), at(x_, area.right), at(y_, area.bottom)};
}

} // namespace vmaf
