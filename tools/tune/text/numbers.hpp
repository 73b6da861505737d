// Numbers as text, the same in every locale.
#pragma once

#include <string>

namespace vmaf::tune {

std::string number_text(double value);            // the shortest that reads back to the same number: "23", "23.5"
std::string fixed_text(double value, int digits); // "–" for what is not a number

} // namespace vmaf::tune
