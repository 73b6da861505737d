// JSON as text. Bytes that are not UTF-8 (names of files may be anything) become replacement characters.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace vmaf::tune {

std::string json_line(const nlohmann::json &value);     // without a newline; NaN becomes null
std::string json_document(const nlohmann::json &value); // indented, with a newline at its end

// Discarded if it is not JSON, or nested deeper than any document of ours: copying that would exhaust the stack
// (tune.md 17.4).
nlohmann::json json_of(const std::string &text);

} // namespace vmaf::tune
