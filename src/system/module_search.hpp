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

struct ModuleName {
    const char *file, *variable; // for find_module()
    const char *symbol;          // of a struct that begins with a pointer to the name of its interface
    const char *interface;
};

// Loads a module for good and returns its struct. Where that is not possible: null, and a clause that says why ("was
// not found"). Throws as find_module() does.
const void *load_module(const ModuleName &name, std::string &reason);

} // namespace vmaf::system
