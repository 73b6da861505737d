// Environment variables.
#pragma once

#include <optional>
#include <string>

namespace vmaf::system {

// The variable's value; nothing if it is unset or empty. Always nothing in a program with more rights than its caller:
// otherwise the environment would choose what it reads, loads and writes.
std::optional<std::string> environment(const std::string &name);
// For variables whose value does not matter: whether it is set, even if empty.
bool is_set(const std::string &name);

// Set-user-ID, set-group-ID or file capabilities.
bool has_more_rights_than_caller();

} // namespace vmaf::system
