// Text for documents, whose readers accept UTF-8 only; paths and names may hold any bytes.
#pragma once

#include <string>
#include <string_view>

namespace vmaf {

// The text with U+FFFD in place of bytes that are no UTF-8.
std::string valid_utf8(std::string_view text);

inline constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";

} // namespace vmaf
