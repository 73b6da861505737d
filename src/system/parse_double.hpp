// std::from_chars for doubles, also for libraries that have it for integers only (libc++ before 20).
#pragma once

#include <charconv>

namespace vmaf {

// Decimal numbers without blanks or a leading '+', by std::from_chars's rules: nearest double, any locale.
std::from_chars_result parse_double(const char *first, const char *last, double &value);

// The same with strtod(); the fallback, and for tests.
std::from_chars_result parse_double_with_strtod(const char *first, const char *last, double &value);

} // namespace vmaf
