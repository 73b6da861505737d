#include "report/utf8.hpp"

#include <algorithm>

namespace vmaf {

namespace {

// Bytes of the character at the beginning of the text; 0 if there is none: too long, too short, a surrogate, or beyond
// U+10FFFF.
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; i++)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const unsigned second = byte(1);
    const bool is_wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                          (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
    return is_wrong ? 0 : length;
}

} // namespace

std::string valid_utf8(std::string_view text) {
    std::string valid;
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        valid += length ? text.substr(0, length) : kReplacementCharacter;
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return valid;
}

} // namespace vmaf
