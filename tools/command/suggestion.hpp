// "Did you mean ...?"
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vmaf::cli {

// The candidate that begins with the word, or else takes the fewest edits to reach; there must be one.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

} // namespace vmaf::cli
