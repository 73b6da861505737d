#include <charconv>

#include "system/print_double.hpp"

namespace vmaf::system {

std::size_t print_double(std::span<char> buffer, double value, DoubleStyle style, int digits) {
    const auto format = style == DoubleStyle::fixed ? std::chars_format::fixed : std::chars_format::general;
    char *const begin = buffer.data();
    return static_cast<std::size_t>(std::to_chars(begin, begin + buffer.size(), value, format, digits).ptr - begin);
}

} // namespace vmaf::system
