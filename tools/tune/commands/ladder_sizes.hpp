// The picture sizes that a ladder examines.
#pragma once

#include <string>
#include <vector>

#include "source/source.hpp"
#include "stages/score.hpp"

namespace vmaf::tune {

// The sizes of --resolutions; by default the source's own and smaller ones of its aspect ratio. Throws CommandError.
std::vector<FrameSize> rung_sizes(const std::string &wish, const Source &source);

} // namespace vmaf::tune
