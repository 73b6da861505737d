// Small pictures of chosen frames: reference, encode and their difference side by side.
#pragma once

#include <string>
#include <vector>

#include "reporting/report_data.hpp"
#include "stages/encode.hpp"

namespace vmaf::tune {

struct Thumbnail {
    std::size_t frame = 0;
    std::string jpeg; // the bytes of one picture: three panes from left to right
    int pane_width = 0, pane_height = 0;
};

// In the order of `frames`. Throws Error if one of the files is missing or cannot be decoded.
std::vector<Thumbnail> make_thumbnails(const Programs &programs, const FrameScores &scores,
                                       const std::vector<std::size_t> &frames, const std::string &work_folder);

} // namespace vmaf::tune
