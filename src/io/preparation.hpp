// What has to be done to two video files so that they can be compared sample by sample, decided from their facts alone.
#pragma once

#include <string>
#include <vector>

#include "io/video_file.hpp"

namespace vmaf {

struct PreparationRequest {
    std::string scaler = "bicubic";
    bool ignores_range = false; // samples are compared as they are, whatever the files say
};

struct Preparation {
    PictureFormat picture; // of both
    VideoOutput reference, distorted;
    std::vector<std::string> steps;      // what is done
    std::vector<std::string> warnings;   // what may make scores wrong
    std::vector<std::string> notes;      // what was assumed, as for nearly every pair of files
    std::vector<std::string> mismatches; // what certainly makes them meaningless
};

// Throws Error where there is no common format.
Preparation prepare_pair(const VideoFacts &reference, const VideoFacts &distorted, const PreparationRequest &request);

} // namespace vmaf
