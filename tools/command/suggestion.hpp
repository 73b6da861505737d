// "Did you mean ...?"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vmaf::cli {

// The shortest candidate that begins with or contains the word, else the one with the fewest edits; empty if that
// changes more than half of the word.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// "; did you mean 'x'?", or empty.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

} // namespace vmaf::cli
