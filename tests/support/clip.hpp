// Pictures of clipgen's scenes, in memory.
#pragma once

#include <string>

#include "clips/scene.hpp"
#include "picture/picture.hpp"

namespace vmaf {

// Chroma planes of odd sizes are cropped to our rounded-down size.
Picture clip_frame(const clipgen::Options &clip, unsigned index);

// A frame of the street scene, 352x288, distorted ("none", "dct:60").
Picture street_frame(int depth, unsigned index, const std::string &distort);

} // namespace vmaf
