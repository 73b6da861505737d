// Where the project's own modules lie: parts of the program that are loaded only when they are needed.
#pragma once

#include <optional>
#include <string>

namespace vmaf::system {

// The file of a module, in this order:
//   1. what the variable names;
//   2. for a program in a build folder: the folder of the program, and no other place;
//   3. the folder that modules are installed to;
//   4. that folder relative to the program, for an installation that was moved.
// Nothing if there is no such file. Throws Error if the one found, or a folder above it, can be changed by other users.
std::optional<std::string> find_module(const std::string &file_name, const std::string &variable);

} // namespace vmaf::system
