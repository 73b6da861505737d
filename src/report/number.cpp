#include "report/number.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace vmaf {

namespace {

constexpr std::size_t kLongest = 400; // 309 digits, a sign, a point, 16 decimals and some

template <class... Format> void append_chars(std::string &text, double value, Format... format) {
    std::array<char, kLongest> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...).ptr;
    text.append(buffer.data(), end);
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
    append_chars(text, value, std::chars_format::fixed, decimals);
}

void NumberFormat::append(std::string &text, double value) const {
    switch (kind_) {
    case Kind::significant: append_chars(text, value, std::chars_format::general, digits_); break;
    case Kind::six_decimals: append_decimals(text, value, 6); break;
    case Kind::reference: append_decimals(text, value, has_tiny_fraction(value) ? 16 : 6); break;
    }
}

} // namespace vmaf
