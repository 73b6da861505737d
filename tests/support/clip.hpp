// Pictures of clipgen's scenes, made in memory.
#pragma once

#include "clips/scene.hpp"
#include "picture/picture.hpp"

namespace vmaf {

// Chroma planes of odd sizes are cropped to the rounded-down size that pictures have.
Picture clip_frame(const clipgen::Options &clip, unsigned index);

} // namespace vmaf
