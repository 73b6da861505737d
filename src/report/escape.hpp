// Text of others inside documents: one function for each place that it can stand in.
#pragma once

#include <string>
#include <string_view>

namespace vmaf {

// In XML, SVG and HTML, between tags and in attributes with double quotes. Characters that XML does not have become
// U+FFFD. (No data is put into scripts that run, styles, comments or addresses.)
std::string markup_escaped(std::string_view text);

// A whole JSON string with its quotes.
std::string json_string(std::string_view text);

// A JSON text in a <script> of data: still the same JSON, and nothing in it ends the element or begins another.
std::string script_data(std::string_view json);

// One field of CSV (RFC 4180): quoted where a comma, a quote or a line end would break the row. A text that a
// spreadsheet would take for a formula gets an apostrophe in front, which makes it a text there. Numbers are no texts:
// they are written as they are.
std::string csv_field(std::string_view text);

// A cell of a table in Markdown, or words in a line: neither ends it nor brings HTML or links along.
std::string markdown_escaped(std::string_view text);

// A name in a line of a MicroDVD subtitle, where '|' begins a new one.
std::string sub_label(std::string_view text);

} // namespace vmaf
