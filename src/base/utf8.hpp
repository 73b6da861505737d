// Text for documents, whose readers accept UTF-8 only; paths and names may hold any bytes.
#pragma once

#include <string>
#include <string_view>

namespace vmaf {

struct Utf8Character {
    char32_t code = 0;
    std::size_t length =
        0; // in bytes; 0: there is none, the bytes are too many, too few, a surrogate or beyond U+10FFFF
};
Utf8Character first_character(std::string_view text); // must not be empty

// Replaces bytes that are not UTF-8 by U+FFFD.
std::string valid_utf8(std::string_view text);

inline constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";

} // namespace vmaf
