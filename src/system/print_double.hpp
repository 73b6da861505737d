// Prints numbers with a '.' in every locale.
#pragma once

#include <cstddef>
#include <span>

namespace vmaf::system {

enum class DoubleStyle { fixed, general }; // printf's %f and %g

// Returns the number of characters written; adds no terminating zero.
std::size_t print_double(std::span<char> buffer, double value, DoubleStyle style, int digits);

} // namespace vmaf::system
