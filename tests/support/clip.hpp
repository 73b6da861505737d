// Pictures of clipgen's scenes, made in memory.
#pragma once

#include <string>

#include "clips/scene.hpp"
#include "picture/picture.hpp"

namespace vmaf {

// Chroma planes of odd sizes are cropped to the rounded-down size that pictures have.
Picture clip_frame(const clipgen::Options &clip, unsigned index);

// A frame of the street scene, 352x288, distorted ("none", "dct:60").
Picture street_frame(int depth, unsigned index, const std::string &distort);

} // namespace vmaf
