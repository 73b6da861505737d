// Small pictures of selected frames: reference, encode and their difference, next to each other.
#pragma once

#include <string>
#include <vector>

#include "reporting/report_data.hpp"
#include "stages/encode.hpp"

namespace vmaf::tune {

struct Thumbnail {
    std::size_t frame = 0;
    std::string jpeg; // a JPEG file: three panes from left to right
    int pane_width = 0, pane_height = 0;
};

// In the order of `frames`. Throws Error if a file is missing or cannot be decoded.
std::vector<Thumbnail> make_thumbnails(const Programs &programs, const FrameScores &scores,
                                       const std::vector<std::size_t> &frames, const std::string &work_folder);

} // namespace vmaf::tune
