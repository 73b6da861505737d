// Pairs frames of two files by presentation times: the rules of `vmaf`'s own input (src/io/pairing.hpp), for files
// whose rates differ or vary.
#pragma once

#include <cstdint>
#include <vector>

#include "io/pairing.hpp"
#include "stages/encode.hpp"

namespace vmaf::tune {

// Of every frame, in display order; nanoseconds from the first. Throws Error if a file does not state them.
std::vector<std::int64_t> frame_times(const Programs &programs, const Source &source);

struct FrameOrder {
    std::vector<std::int64_t> reference, distorted; // frame numbers; the n-th of both match
    PairingCounts counts;
    bool is_out_of_step = false; // most frames have no partner
};

// `delay` of the distorted file, in nanoseconds.
FrameOrder pair_by_time(const std::vector<std::int64_t> &reference, const std::vector<std::int64_t> &distorted,
                        std::int64_t delay);

} // namespace vmaf::tune
