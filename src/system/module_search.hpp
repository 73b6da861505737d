// Where the project's own modules lie: parts of the program that are loaded only when they are needed.
#pragma once

#include <optional>
#include <string>

namespace vmaf::system {

// The file of a module:
//   what the variable names;
//   or, for a program in a folder that this project was built in, that folder's;
//   or, for one of an installation that may be moved, as a file `movable` among its modules says, the one of that
//   installation; or the one in the folder that modules are installed to.
// Programs with more rights than their caller look in the last place only: who can link them elsewhere chooses the
// others. Nothing if there is no such file. Throws Error if the one found, or a folder above it, can be changed by
// other users.
std::optional<std::string> find_module(const std::string &file_name, const std::string &variable);

struct ModuleName {
    const char *file, *variable; // for find_module()
    const char *symbol;          // of a struct that begins with a pointer to the name of its interface
    const char *interface;
};

// Loads a module for good and returns its struct. Where that is not possible: null, and a clause that says why ("was
// not found"). Throws as find_module() does.
const void *load_module(const ModuleName &name, std::string &reason);

// The same for a struct in the libvmaf that belongs to the program: that of the folder it was built in or installed
// with, else the system's. It is looked for as the system's loader would, so other users' rights do not matter.
const void *load_own_library(const char *symbol, const char *interface, std::string &reason);

} // namespace vmaf::system
