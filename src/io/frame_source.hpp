// Frames of a clip, one after the other.
#pragma once

#include "picture/picture.hpp"

namespace vmaf {

class FrameSource {
  public:
    virtual ~FrameSource() = default;
    // The next frame; an empty picture at the end of the clip. Throws what reading threw.
    virtual Picture next() = 0;
    // How many pictures there are to read into.
    virtual unsigned pictures() const = 0;
};

} // namespace vmaf
