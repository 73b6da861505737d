// Rows as text: JSON of schema 4, the 54 columns of schema 3, and CSV (tune.md 11).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace vmaf::tune {

enum class RowFormat { schema4, schema3, csv };

std::string row_line(const nlohmann::json &row, RowFormat format); // without its newline
std::string row_header(RowFormat format);                          // first line of a file; empty for JSON

} // namespace vmaf::tune
