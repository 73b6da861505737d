// How far a mistyped word is from a known one.
#pragma once

#include <cstddef>
#include <string_view>

namespace vmaf {

// The changes, insertions, removals and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

} // namespace vmaf
