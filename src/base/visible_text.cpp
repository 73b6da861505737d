#include "base/visible_text.hpp"

#include <algorithm>
#include <cstdio>

#include "base/utf8.hpp"

namespace vmaf {

namespace {

bool is_hidden(char32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
           (c >= 0xfff9 && c <= 0xfffb) || (c & 0xfffe) == 0xfffe || (c >= 0xe0000 && c <= 0xe0fff);
}

std::string escape(char32_t c, const char *form) {
    switch (c) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
    }
    char text[16];
    std::snprintf(text, sizeof text, form, static_cast<unsigned>(c));
    return text;
}

std::string shown(std::string_view text, std::string_view kept) {
    std::string result;
    while (!text.empty()) {
        const Utf8Character character = first_character(text);
        const char32_t code = character.length ? character.code : static_cast<unsigned char>(text[0]);
        const std::string_view bytes = text.substr(0, std::max<std::size_t>(character.length, 1));
        if (!character.length || (code < 0x80 && is_hidden(code) && kept.find(bytes) == std::string_view::npos))
            result += escape(code, "\\x%02x");
        else if (code >= 0x80 && is_hidden(code))
            result += escape(code, code > 0xffff ? "\\U%08x" : "\\u%04x");
        else
            result += bytes;
        text.remove_prefix(bytes.size());
    }
    return result;
}

} // namespace

std::string visible(std::string_view text) { return shown(text, ""); }

std::string visible_sentence(std::string_view text) {
    std::string result;
    for (;;) {
        const std::size_t end = text.find("\n  ");
        result += visible(text.substr(0, end));
        if (end == std::string_view::npos) return result;
        result += '\n';
        text.remove_prefix(end + 1);
    }
}

std::string visible_lines(std::string_view text) { return shown(text, "\n\t"); }

} // namespace vmaf
