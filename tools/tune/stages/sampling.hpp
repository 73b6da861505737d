// Selects the parts of a source to encode and score (tune.md 8).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stages/encode.hpp"

namespace vmaf::tune {

struct SamplingRequest {
    double centre_seconds = 0; // --sample-clip-seconds
    std::optional<int> samples;
    double every_seconds = 720, duration_seconds = 20;
    int min_samples = 1;
    std::vector<double> at; // --sample-at
    bool automatic = true;  // sample long containers by default
};

// The positions of samples; one full window if sampling does not pay.
struct SampleChoice {
    std::vector<Window> windows;
    std::string clip_mode = "full";
};
SampleChoice choose_samples(const Source &source, const SamplingRequest &request);

// A piece of a source, ready for repeated encoding and decoding. Pieces of containers are copies, so that encoder and
// reference read exactly the same frames.
struct Sample {
    Source source;
    Window window;
    double start = 0;   // in the whole source
    double seconds = 0; // length
};

// Cuts copies into `work_folder` if needed. Throws Error.
std::vector<Sample> cut_samples(const Programs &programs, const Source &source, const SampleChoice &choice,
                                const std::string &work_folder);

} // namespace vmaf::tune
