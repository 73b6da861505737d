#include "report/escape.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/utf8.hpp"
#include "base/visible_text.hpp"

namespace vmaf {

std::string markup_escaped(std::string_view text) {
    std::string escaped;
    while (!text.empty()) {
        const Utf8Character character = first_character(text);
        const std::string_view bytes = text.substr(0, std::max<std::size_t>(character.length, 1));
        const bool is_foreign = !character.length || character.code == 0xfffe || character.code == 0xffff;
        switch (is_foreign ? U'\0' : character.code) {
        case '"': escaped += "&quot;"; break;
        case '<': escaped += "&lt;"; break;
        case '>': escaped += "&gt;"; break;
        case '&': escaped += "&amp;"; break;
        case '\t': escaped += "&#9;"; break;
        case '\n': escaped += "&#10;"; break;
        case '\r': escaped += "&#13;"; break;
        default: escaped += is_foreign || character.code < 0x20 ? kReplacementCharacter : bytes;
        }
        text.remove_prefix(bytes.size());
    }
    return escaped;
}

std::string json_string(std::string_view text) {
    std::string quoted = "\"";
    for (char c : valid_utf8(text)) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::array<char, 8> code{};
            std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
            quoted += code.data();
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

std::string script_data(std::string_view json) {
    std::string escaped;
    for (const char c : json) // these occur only inside JSON strings
        switch (c) {
        case '<': escaped += "\\u003c"; break;
        case '>': escaped += "\\u003e"; break;
        case '&': escaped += "\\u0026"; break;
        default: escaped += c;
        }
    return escaped;
}

std::string csv_field(std::string_view text) {
    const bool is_formula = !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
    const std::string plain = std::string(is_formula ? 1 : 0, '\'').append(text);
    if (plain.find_first_of(",\"\r\n") == std::string::npos) return plain;
    std::string quoted = "\"";
    for (const char c : plain) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}

std::string markdown_escaped(std::string_view text) {
    std::string escaped;
    for (const char c : visible(text)) {
        switch (c) {
        case '<': escaped += "&lt;"; break;
        case '>': escaped += "&gt;"; break;
        case '&': escaped += "&amp;"; break;
        case '|':
        case '[':
        case ']':
        case '`':
            escaped += '\\';
            escaped += c;
            break;
        default: escaped += c;
        }
    }
    return escaped;
}

std::string sub_label(std::string_view text) {
    std::string label;
    for (const char c : visible(text)) label += c == '|' ? std::string("\\x7c") : std::string(1, c);
    return label;
}

} // namespace vmaf
