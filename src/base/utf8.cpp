#include "base/utf8.hpp"

#include <algorithm>

namespace vmaf {

Utf8Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return {first, 1};
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
    char32_t code = first & (0x7fu >> length);
    for (std::size_t i = 1; i < length; i++) {
        if ((byte(i) & 0xc0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3f);
    }
    const bool is_too_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    if (is_too_long || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return {};
    return {code, length};
}

std::string valid_utf8(std::string_view text) {
    std::string valid;
    while (!text.empty()) {
        const std::size_t length = first_character(text).length;
        valid += length ? text.substr(0, length) : kReplacementCharacter;
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return valid;
}

} // namespace vmaf
