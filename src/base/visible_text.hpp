// Text of others (file names, names in models and files, messages of libraries) for people's eyes.
#pragma once

#include <string>
#include <string_view>

namespace vmaf {

// The text with everything that a terminal would obey or hide written out: control characters, line ends, marks that
// change the direction of writing or have no width, and bytes that are no UTF-8, as \n, \x1b or \u202e.
std::string visible(std::string_view text);

// The same for texts of several lines, whose line ends and tabs stay.
std::string visible_lines(std::string_view text);

// The same for sentences of ours, whose further lines are indented: a line end before two blanks stays. Others' texts
// in it cannot look like a message of its own.
std::string visible_sentence(std::string_view text);

} // namespace vmaf
