// For libraries whose std::to_chars lacks floating point: libc++ before 14.
#include <cstdio>

#include "system/c_locale.hpp"
#include "system/print_double.hpp"

namespace vmaf::system {

std::size_t print_double(std::span<char> buffer, double value, DoubleStyle style, int digits) {
    const CLocale c_locale;
    const char *const format = style == DoubleStyle::fixed ? "%.*f" : "%.*g";
    return static_cast<std::size_t>(std::snprintf(buffer.data(), buffer.size(), format, digits, value));
}

} // namespace vmaf::system
