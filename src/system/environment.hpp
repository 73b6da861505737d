// Variables of the environment.
#pragma once

#include <optional>
#include <string>

namespace vmaf::system {

// The variable's value. Nothing if it is not set or empty, and always nothing in a program that has more rights than
// its caller: who chooses the variables could else choose what it reads, loads and writes.
std::optional<std::string> environment(const std::string &name);
// The same for variables whose value does not matter: whether it is there, empty or not.
bool is_set(const std::string &name);

// Set-user-ID, set-group-ID, capabilities of the file.
bool has_more_rights_than_caller();

} // namespace vmaf::system
