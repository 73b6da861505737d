// Defaults from a file and from the environment (tune.md 2): --config FILE, VMAF_TUNE_<FLAG>, then the command line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"

namespace vmaf::tune {

// Lines `flag = value`, comments with #, values with or without quotes. Throws Error with the line's number.
std::vector<std::pair<std::string, std::string>> parse_config(const std::string &text);

// Adds what the file and the environment say to `arguments`, unless they say it themselves. A key that no command
// knows is an error. Throws Error.
void add_defaults(const CLI::App &app, std::vector<std::string> &arguments);

} // namespace vmaf::tune
