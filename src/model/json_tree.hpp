// A JSON document as a tree, for files that strangers wrote: strict syntax, members in document order with repeated
// names kept, no depth or amount of nesting that could exhaust the stack (models.md 1.2).
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
    float single = 0; // the number's text rounded to float once; not the same as float(number)
    std::string text;
    std::vector<JsonValue> items;   // elements of an array, values of an object's members
    std::vector<std::string> names; // of an object's members
};

std::string_view to_string(JsonValue::Kind kind); // "an array"

// Bytes after the document are not looked at. Containers more than seven levels down are checked, then left empty: no
// model has anything there. Throws Error(EINVAL).
JsonValue parse_json(std::string_view text);

} // namespace vmaf
