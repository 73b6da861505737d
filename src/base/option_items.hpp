// Lists of items separated by colons, as in "path=C:/own.json:name=a".
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace vmaf {

// The end of the item that starts at `begin`. The colon of a drive ("=C:/", "=C:\") belongs to the item.
inline std::size_t item_end(const std::string &text, std::size_t begin) {
    const auto is_drive = [&](std::size_t colon) {
        const auto is_letter = [](char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; };
        return colon >= 2 && text[colon - 2] == '=' && is_letter(text[colon - 1]) && colon + 1 < text.size() &&
               (text[colon + 1] == '/' || text[colon + 1] == '\\');
    };
    std::size_t end = text.find(':', begin);
    while (end != std::string::npos && is_drive(end)) end = text.find(':', end + 1);
    return std::min(end, text.size());
}

} // namespace vmaf
