// The sizes of pictures that a ladder looks at.
#pragma once

#include <string>
#include <vector>

#include "source/source.hpp"
#include "stages/score.hpp"

namespace vmaf::tune {

// Those of --resolutions; without a wish the source's own and smaller ones of its shape. Throws CommandError.
std::vector<FrameSize> rung_sizes(const std::string &wish, const Source &source);

} // namespace vmaf::tune
