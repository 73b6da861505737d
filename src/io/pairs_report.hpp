// What two video files are, and what was done to make them comparable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/pairing.hpp"
#include "io/video_file.hpp"

namespace vmaf {

struct PairsReport {
    VideoFacts reference, distorted;
    PictureFormat scored_as;
    bool is_by_index = false; // frames were paired by number
    PairingCounts counts;     // final at the end
    std::int64_t offset = 0;  // of the distorted clip, nanoseconds
    std::uint64_t frozen = 0; // distorted frames that repeat the previous one
    std::vector<std::string> steps, warnings, notes;
};

} // namespace vmaf
