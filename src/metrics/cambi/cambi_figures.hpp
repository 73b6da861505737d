// What a FrameResult of cambi holds: unclipped scores.
#pragma once

#include <cstddef>

namespace vmaf::cambi {

enum Figure : std::size_t {
    kEncodedScore,
    kSourceScore,
};

} // namespace vmaf::cambi
