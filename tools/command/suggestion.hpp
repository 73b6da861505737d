// "Did you mean ...?"
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vmaf::cli {

// The shortest candidate that begins with the word or contains it, or else takes the fewest edits to reach; empty where
// that would change more than half of the word.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// "; did you mean 'x'?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

} // namespace vmaf::cli
