// Numbers with a '.', whatever locale the host program has set.
#pragma once

#include <cstddef>
#include <span>

namespace vmaf::system {

enum class DoubleStyle { fixed, general }; // printf's %f and %g

// Returns how many characters of the buffer were written, without a zero at their end.
std::size_t print_double(std::span<char> buffer, double value, DoubleStyle style, int digits);

} // namespace vmaf::system
