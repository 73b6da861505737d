// Which frames of two files belong together by the times at which they are shown: the rules of `vmaf`'s own input
// (src/io/pairing.hpp), for files whose rates differ or vary.
#pragma once

#include <cstdint>
#include <vector>

#include "io/pairing.hpp"
#include "stages/encode.hpp"

namespace vmaf::tune {

// Of every frame, in the order of showing; nanoseconds from the first. Throws Error where a file does not say.
std::vector<std::int64_t> frame_times(const Programs &programs, const Source &source);

struct FrameOrder {
    std::vector<std::int64_t> reference, distorted; // numbers of frames; the n-th of both belong together
    PairingCounts counts;
    bool is_out_of_step = false; // most frames have no partner
};

// `delay` of the distorted file, in nanoseconds.
FrameOrder pair_by_time(const std::vector<std::int64_t> &reference, const std::vector<std::int64_t> &distorted,
                        std::int64_t delay);

} // namespace vmaf::tune
