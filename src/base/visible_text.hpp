// Makes foreign text (file names, names in models and files, messages of libraries) safe to print.
#pragma once

#include <string>
#include <string_view>

namespace vmaf {

// Escapes everything that a terminal would obey or hide, as \n, \x1b or \u202e: control characters, line ends,
// characters without width or that change the writing direction, and bytes that are not UTF-8.
std::string visible(std::string_view text);

// The same for text of several lines; keeps line ends and tabs.
std::string visible_lines(std::string_view text);

// The same for our own messages, whose continuation lines are indented: keeps a line end before two spaces. So
// foreign text in a message cannot look like another message.
std::string visible_sentence(std::string_view text);

} // namespace vmaf
