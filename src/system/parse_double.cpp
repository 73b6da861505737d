#include "system/parse_double.hpp"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <version>

#include "system/c_locale.hpp"

namespace vmaf {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The length of a leading "12", "1.5", ".5e-3" and so on; 0 if there is none.
std::size_t number_length(std::string_view text) {
    const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
    std::size_t i = at(0) == '-' ? 1 : 0;
    const std::size_t begin = i;
    while (is_digit(at(i))) i++;
    std::size_t digits = i - begin;
    if (at(i) == '.') {
        const std::size_t point = i++;
        while (is_digit(at(i))) i++;
        digits += i - point - 1;
        if (digits == 0) return 0;
    }
    if (digits == 0) return 0;
    if (at(i) == 'e' || at(i) == 'E') {
        std::size_t exponent = i + 1;
        if (at(exponent) == '+' || at(exponent) == '-') exponent++;
        if (is_digit(at(exponent))) {
            while (is_digit(at(exponent))) exponent++;
            i = exponent;
        }
    }
    return i;
}

} // namespace

std::from_chars_result parse_double_with_strtod(const char *first, const char *last, double &value) {
    const std::string number(first, number_length({first, static_cast<std::size_t>(last - first)}));
    if (number.empty()) return {first, std::errc::invalid_argument};
    const CLocale c_locale;
    errno = 0;
    const double parsed = std::strtod(number.c_str(), nullptr);
    const char *const end = first + number.size();
    if (errno == ERANGE && (parsed == 0 || std::isinf(parsed))) return {end, std::errc::result_out_of_range};
    value = parsed;
    return {end, std::errc()};
}

std::from_chars_result parse_double(const char *first, const char *last, double &value) {
#if defined(__cpp_lib_to_chars)
    return std::from_chars(first, last, value);
#else
    return parse_double_with_strtod(first, last, value);
#endif
}

} // namespace vmaf
