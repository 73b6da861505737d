// Finds the known word that a mistyped one probably means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vmaf::tune {

// The closest name; empty if all need more than two changes.
std::string nearest_name(std::string_view word, const std::vector<std::string> &names);

// " (did you mean NAME?)", or empty.
std::string near_name_hint(std::string_view word, const std::vector<std::string> &names);

} // namespace vmaf::tune
