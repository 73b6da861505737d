#include "text/json_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace vmaf::tune {

using nlohmann::json;

std::string json_line(const json &value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string json_document(const json &value) {
    return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

json json_of(const std::string &text) {
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
    if (deepest > kDeepest) return json(json::value_t::discarded);
    return json::parse(text, nullptr, false);
}

} // namespace vmaf::tune
