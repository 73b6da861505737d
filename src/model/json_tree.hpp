// Parses JSON from untrusted files into a tree: strict syntax, members in document order including duplicates, and
// nesting that cannot exhaust the stack (models.md 1.2).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vmaf {

struct JsonValue {
    enum class Kind { null, boolean, number, string, array, object };

    Kind kind = Kind::null;
    bool flag = false;
    double number = 0;
    float single = 0; // rounded from the text once; may differ from float(number)
    std::string text;
    std::vector<JsonValue> items;   // elements of an array, values of an object's members
    std::vector<std::string> names; // of an object's members
};

std::string_view to_string(JsonValue::Kind kind); // "an array"

// Ignores bytes after the document. Containers more than seven levels deep are checked, then left empty: models have
// nothing there. Throws Error(EINVAL).
JsonValue parse_json(std::string_view text);

} // namespace vmaf
