// Lines for people on standard error.
#pragma once

#include <string>

#include "exit_code.hpp"

namespace vmaf::cli {

// "vmaf: " and the sentence, with control characters of names in it made visible. On a terminal the meter's line gives
// way.
void say(const std::string &sentence);

// Prints a result as it is. False: it did not arrive, and errno has the reason.
bool print_line(const std::string &line);

// What to throw for a result that did not arrive at `stream`; `code` is an errno value.
Failure cannot_print(const std::string &stream, int code);

} // namespace vmaf::cli
