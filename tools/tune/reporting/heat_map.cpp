#include "reporting/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "metrics/tiles.hpp"
#include "system/filesystem.hpp"

namespace vmaf::tune {

namespace fs = vmaf::system::fs;

namespace {

constexpr std::size_t kMostBytes = 1'500'000; // of grids, per encode

// A NumPy file of float32 in three dimensions, frame by frame.
class ArrayFile {
  public:
    explicit ArrayFile(const std::string &path) : path_(path), file_(path, std::ios::binary) {
        if (!file_) throw invalid("the map '" + path + "' cannot be read");
        char start[10];
        if (!file_.read(start, sizeof start) || std::memcmp(start, "\x93NUMPY\x01\x00", 8) != 0) fail();
        const std::size_t length = static_cast<unsigned char>(start[8]) + 256u * static_cast<unsigned char>(start[9]);
        std::string header(length, '\0');
        if (!file_.read(header.data(), std::streamsize(length))) fail();
        const std::size_t shape = header.find("'shape': (");
        if (header.find("'descr': '<f4'") == std::string::npos || shape == std::string::npos ||
            header.find("'fortran_order': False") == std::string::npos ||
            std::sscanf(header.c_str() + shape, "'shape': (%zu, %zu, %zu)", &frames_, &rows_, &columns_) != 3)
            fail();
    }

    std::size_t frames() const { return frames_; }
    bool has_cells(std::size_t columns, std::size_t rows) const { return columns_ == columns && rows_ == rows; }
    // Reads the next frame's cells.
    void read(std::vector<float> &cells) {
        cells.resize(rows_ * columns_);
        if (!file_.read(reinterpret_cast<char *>(cells.data()), std::streamsize(cells.size() * sizeof(float)))) fail();
    }

  private:
    [[noreturn]] void fail() const { throw invalid("'" + path_ + "' is no map of vmaf-tune score --map"); }

    std::string path_;
    fs::ifstream file_;
    std::size_t frames_ = 0, rows_ = 0, columns_ = 0;
};

char byte_of(float score) {
    if (std::isnan(score)) return static_cast<char>(kNoCell);
    return static_cast<char>(std::lround(2 * std::clamp(score, 0.0f, 100.0f)));
}

} // namespace

HeatMap read_heat_map(const FrameScores &scores, const std::vector<std::size_t> &frames) {
    const FrameScores::Map &map = scores.map;
    HeatMap heat{map.score, cell_edges(map.width, map.cell), cell_edges(map.height, map.cell), {}, {}, {}};
    ArrayFile file(map.file);
    const std::size_t columns = heat.x.size() - 1, rows = heat.y.size() - 1;
    if (!file.has_cells(columns, rows) || file.frames() != scores.main().size())
        throw invalid("the map '" + map.file + "' is of another run than the scores");
    const std::size_t step = std::max<std::size_t>(1, (file.frames() * columns * rows + kMostBytes - 1) / kMostBytes);
    std::vector<float> cells;
    for (std::size_t i = 0; i < file.frames(); i++) {
        file.read(cells);
        int worst = -1;
        for (int k = 0; k < static_cast<int>(cells.size()); k++) {
            const float cell = cells[static_cast<std::size_t>(k)];
            if (!std::isnan(cell) && (worst < 0 || cell < cells[static_cast<std::size_t>(worst)])) worst = k;
        }
        heat.worst_cell.push_back(worst);
        heat.worst.push_back(worst < 0 ? std::numeric_limits<double>::quiet_NaN()
                                       : double(cells[static_cast<std::size_t>(worst)]));
        if (i % step != 0 && !contains(frames, i)) continue;
        std::string &grid = heat.grids[i];
        std::ranges::transform(cells, std::back_inserter(grid), byte_of);
    }
    return heat;
}

} // namespace vmaf::tune
