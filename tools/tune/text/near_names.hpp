// Which known word a mistyped one was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vmaf::tune {

// The nearest of the names; empty where all of them need more than two changes.
std::string nearest_name(std::string_view word, const std::vector<std::string> &names);

// " (did you mean NAME?)", or nothing.
std::string near_name_hint(std::string_view word, const std::vector<std::string> &names);

} // namespace vmaf::tune
