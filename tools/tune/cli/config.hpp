// Defaults from a file and from the environment (tune.md 2): --config FILE, VMAF_TUNE_<FLAG>, then the command line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"

namespace vmaf::tune {

// Parses lines `flag = value`, comments with #, values with or without quotes. Throws Error with the line number.
std::vector<std::pair<std::string, std::string>> parse_config(const std::string &text);

// Adds the file's and environment's values to `arguments`, unless given there. Throws Error for a key that no command
// knows.
void add_defaults(const CLI::App &app, std::vector<std::string> &arguments);

} // namespace vmaf::tune
