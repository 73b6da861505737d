// What a command writes must not be what it reads.
#pragma once

#include <string>

#include "cli/options.hpp"

namespace vmaf::tune {

// Throws CommandError(usage) if a file that the options name as an output is one of their inputs, under whatever name,
// or named as an output twice.
void check_outputs(const Options &options);

// The same for an output whose name was put together.
void check_output(const Options &options, const std::string &path);

} // namespace vmaf::tune
