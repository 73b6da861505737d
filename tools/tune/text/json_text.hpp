// JSON from files of users.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace vmaf::tune {

// Discarded if it is not JSON, or nested deeper than any document of ours: copying that would exhaust the stack
// (tune.md 17.4).
inline nlohmann::json json_of(const std::string &text) {
    constexpr int kDeepest = 64;
    int depth = 0, deepest = 0;
    bool is_string = false;
    for (std::size_t i = 0; i < text.size(); i++) {
        const char c = text[i];
        if (c == '\\' && is_string)
            i++;
        else if (c == '"')
            is_string = !is_string;
        else if (!is_string && (c == '[' || c == '{'))
            deepest = std::max(deepest, ++depth);
        else if (!is_string && (c == ']' || c == '}'))
            depth--;
    }
    if (deepest > kDeepest) return nlohmann::json(nlohmann::json::value_t::discarded);
    return nlohmann::json::parse(text, nullptr, false);
}

} // namespace vmaf::tune
