#include "report/number.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "base/error.hpp"
#include "system/c_locale.hpp"
#include "system/print_double.hpp"

namespace vmaf {

namespace {

constexpr std::size_t kLongest = 400; // 309 digits, sign, point, 16 decimals and a margin

void append_chars(std::string &text, double value, system::DoubleStyle style, int digits) {
    std::array<char, kLongest> buffer;
    text.append(buffer.data(), system::print_double(buffer, value, style, digits));
}

// True when the fractional part is not zero but smaller than about 1e-6.
bool has_tiny_fraction(double value) {
    const double size = std::fabs(value);
    if (!(size < 2147483648.0)) return false;
    double fraction = size - static_cast<int>(size);
    int steps = 0;
    for (; fraction < 1.0 && fraction != 0; steps++) fraction *= 10;
    return steps > 6;
}

} // namespace

void append_decimals(std::string &text, double value, int decimals) {
    append_chars(text, value, system::DoubleStyle::fixed, decimals);
}

NumberFormat NumberFormat::pattern(const std::string &text) {
    // One conversion: '%', flags, width, precision and a letter for doubles. Limits the width so that a score fits the
    // buffer.
    const auto skip = [&](std::size_t i, std::string_view set, std::size_t most) {
        while (most-- > 0 && i < text.size() && set.find(text[i]) != std::string_view::npos) i++;
        return i;
    };
    constexpr std::string_view kDigits = "0123456789";
    std::size_t i = text.find('%');
    bool good = text.size() <= 64 && i != std::string::npos;
    if (good) {
        i = skip(skip(i + 1, "-+ #0", 5), kDigits, 2);
        if (i < text.size() && text[i] == '.') i = skip(i + 1, kDigits, 2);
        good = skip(i, "aAeEfFgG", 1) == i + 1 && text.find('%', i) == std::string::npos;
    }
    if (!good)
        throw invalid("score format '" + text +
                      "' does not print exactly one double; use something like %.6f or %.17g");
    NumberFormat format(Kind::pattern, 0);
    format.pattern_ = text;
    return format;
}

void NumberFormat::append(std::string &text, double value) const {
    switch (kind_) {
    case Kind::significant: append_chars(text, value, system::DoubleStyle::general, digits_); break;
    case Kind::six_decimals: append_decimals(text, value, 6); break;
    case Kind::pattern: {
        const CLocale c_locale;
        std::array<char, kLongest + 200> buffer{};
        std::snprintf(buffer.data(), buffer.size(), pattern_.c_str(), value);
        text.append(buffer.data());
        break;
    }
    case Kind::reference: append_decimals(text, value, has_tiny_fraction(value) ? 16 : 6); break;
    }
}

} // namespace vmaf
