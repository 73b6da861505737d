// The terminal of a standard stream.
#pragma once

namespace vmaf::system {

enum class Stream { input, output, error };

bool is_terminal(Stream stream);
unsigned terminal_columns(); // of standard error; 80 if it is no terminal

} // namespace vmaf::system
