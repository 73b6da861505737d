// std::from_chars for doubles, also where the C++ library has it for integers only (libc++ before 20).
#pragma once

#include <charconv>

namespace vmaf {

// Decimal numbers without blanks and without a '+' before them, by std::from_chars's rules: nearest double, any locale.
std::from_chars_result parse_double(const char *first, const char *last, double &value);

// The same with strtod(); for tests, and where there is nothing else.
std::from_chars_result parse_double_with_strtod(const char *first, const char *last, double &value);

} // namespace vmaf
