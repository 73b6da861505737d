// The running program and what it runs on.
#pragma once

#include <string>

namespace vmaf::system {

// The file of the running program, behind links; empty where unknown.
std::string program_path();

unsigned usable_processors(); // those that this process may use, at least 1
bool has_threads();           // false: all work is the caller's

} // namespace vmaf::system
