// Escapes foreign text for documents: one function per context.
#pragma once

#include <string>
#include <string_view>

namespace vmaf {

// For XML, SVG and HTML, between tags and in double-quoted attributes. Replaces characters that XML forbids by U+FFFD.
// (Not for executable scripts, styles, comments or URLs.)
std::string markup_escaped(std::string_view text);

// A whole JSON string with its quotes.
std::string json_string(std::string_view text);

// JSON for a <script> data block: still the same JSON, but nothing in it can end the element or start another.
std::string script_data(std::string_view json);

// One CSV field (RFC 4180), quoted if it contains a comma, a quote or a line end. Text that a
// spreadsheet would take for a formula gets a leading apostrophe. Do not pass numbers: they are written
// unchanged.
std::string csv_field(std::string_view text);

// A Markdown table cell or inline text: cannot end the cell or add HTML or links.
std::string markdown_escaped(std::string_view text);

// A name in a MicroDVD subtitle line, where '|' starts a new line.
std::string sub_label(std::string_view text);

} // namespace vmaf
