// The running program and its environment.
#pragma once

#include <string>

namespace vmaf::system {

// The file of the running program, links resolved; empty if unknown.
std::string program_path();

unsigned usable_processors(); // available to this process; at least 1
bool has_threads();           // false: all work runs in the calling thread

} // namespace vmaf::system
