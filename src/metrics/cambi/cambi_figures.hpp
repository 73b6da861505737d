// What a FrameResult of cambi holds: unclipped scores, and what emit() must complain about.
#pragma once

#include <cstddef>

namespace vmaf::cambi {

enum Figure : std::size_t {
    kEncodedScore,
    kSourceScore,
    kSourceRefused,  // 1: samples above the depth
    kEncodedRefused, // by device code, which cannot throw for one frame
    kHeatmapFailed,  // 1: a heat map could not be written, likewise
};

} // namespace vmaf::cambi
