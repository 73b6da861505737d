// The terminal behind a standard stream.
#pragma once

namespace vmaf::system {

enum class Stream { input, output, error };

bool is_terminal(Stream stream);
unsigned terminal_columns(); // of the one on standard error; 80 where there is none

} // namespace vmaf::system
