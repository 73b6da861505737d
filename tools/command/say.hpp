// Messages on standard error.
#pragma once

#include <string>

#include "exit_code.hpp"

namespace vmaf::cli {

// Prints "vmaf: " and the message, escaping control characters. Hides the terminal's progress line
// first.
void say(const std::string &sentence);

// Prints a result unchanged. False: writing failed, and errno has the reason.
bool print_line(const std::string &line);

// The exception for a result that could not be written to `stream`; `code` is an errno value.
Failure cannot_print(const std::string &stream, int code);

} // namespace vmaf::cli
