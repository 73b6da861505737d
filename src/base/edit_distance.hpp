// How far a mistyped word is from a known one.
#pragma once

#include <cstddef>
#include <string_view>

namespace vmaf {

// Changes, insertions, removals and swaps of neighbours that make one word of another.
std::size_t edit_distance(std::string_view a, std::string_view b);

} // namespace vmaf
