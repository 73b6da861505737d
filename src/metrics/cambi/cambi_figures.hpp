// The contents of cambi's FrameResult: unclipped scores.
#pragma once

#include <cstddef>

namespace vmaf::cambi {

enum Figure : std::size_t {
    kEncodedScore,
    kSourceScore,
};

} // namespace vmaf::cambi
