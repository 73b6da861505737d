// Where an encode loses its score: what the page shows of a map that `score --map` wrote (maps.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reporting/report_data.hpp"

namespace vmaf::tune {

// Scores of cells as bytes: half points of 0 to 100, kNoCell where a cell has none.
inline constexpr unsigned char kNoCell = 255;

struct HeatMap {
    std::string score;                        // whose: "vmaf"
    std::vector<int> x, y;                    // edges of cells, in pixels of the scored size
    std::vector<double> worst;                // of each frame
    std::vector<int> worst_cell;              // its number, row by row
    std::map<std::size_t, std::string> grids; // cells of frames: every few ones, and those that were asked for
};

// Throws Error if the file is missing or is not the map of these scores.
HeatMap read_heat_map(const FrameScores &scores, const std::vector<std::size_t> &frames);

} // namespace vmaf::tune
