// Formats numbers, equally in every locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vmaf::tune {

std::string number_text(double value); // the shortest text that reads back to the same number: "23", "23.5"
std::string counted(std::int64_t count, const std::string &noun); // "1 frame", "2 frames"
std::string fixed_text(double value, int digits);                 // "–" for NaN
std::optional<double> number_of(const std::string &text);         // empty: the text is no number, or more than one

} // namespace vmaf::tune
