// Where an encode loses its score: the page's data from a map of `score --map` (maps.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reporting/report_data.hpp"

namespace vmaf::tune {

// Scores of cells as bytes: half points from 0 to 100, kNoCell if a cell has none.
inline constexpr unsigned char kNoCell = 255;

struct HeatMap {
    std::string score;                        // the owner: "vmaf"
    std::vector<int> x, y;                    // cell edges, in pixels of the scored size
    std::vector<double> worst;                // per frame
    std::vector<int> worst_cell;              // its index, row by row
    std::map<std::size_t, std::string> grids; // cells of frames: every n-th one, plus requested ones
};

// Throws Error if the file is missing or is not a map of these scores.
HeatMap read_heat_map(const FrameScores &scores, const std::vector<std::size_t> &frames);

} // namespace vmaf::tune
