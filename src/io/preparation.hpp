// Decides what must be done to two video files to compare them sample by sample, from their facts alone.
#pragma once

#include <string>
#include <vector>

#include "io/video_file.hpp"

namespace vmaf {

struct PreparationRequest {
    std::string scaler = "bicubic";
    bool ignores_range = false; // compares samples as stored, whatever the files state
    bool has_cropped = false;   // as the user asked
};

struct Preparation {
    PictureFormat picture; // of both
    VideoOutput reference, distorted;
    std::vector<std::string> steps;      // what is done
    std::vector<std::string> warnings;   // what may falsify scores
    std::vector<std::string> notes;      // what was assumed, as for nearly every pair of files
    std::vector<std::string> mismatches; // what certainly makes scores meaningless
};

// Throws Error if there is no common format.
Preparation prepare_pair(const VideoFacts &reference, const VideoFacts &distorted, const PreparationRequest &request);

} // namespace vmaf
