// Finds and loads the project's modules: parts of the program that are loaded on demand.
#pragma once

#include <optional>
#include <string>

namespace vmaf::system {

// The file of a module, from the first of these that applies:
// - the file that the variable names;
// - for a program in a build folder, that folder;
// - for a relocatable installation (it has a file `movable` among its modules), that installation;
// - the folder to which modules are installed.
// Programs with more rights than their caller use only the last, since who links them elsewhere would choose the
// others. Empty if there is no file. Throws Error if other users can change the file or a folder above it.
std::optional<std::string> find_module(const std::string &file_name, const std::string &variable);

struct ModuleName {
    const char *file, *variable; // see find_module()
    const char *symbol;          // a struct that begins with a pointer to the name of its interface
    const char *interface;
};

// Loads a module permanently and returns its struct. On failure: null, and a clause such as "was not found". Throws as
// find_module() does.
const void *load_module(const ModuleName &name, std::string &reason);

// The same for a struct in the program's own libvmaf: from its build or installation folder, else the system's.
// Searched for as the loader would, so other users' rights do not matter.
const void *load_own_library(const char *symbol, const char *interface, std::string &reason);

} // namespace vmaf::system
