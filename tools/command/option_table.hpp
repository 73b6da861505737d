// The options of the command, and how words on the command line match them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "long_options.hpp"

namespace vmaf::cli {

struct Options;

struct CommandOption {
    std::string_view name; // without dashes
    char letter;           // short form; 0: none
    OptionValue value;
    void (*set)(Options &options, const std::string &name, const std::string &value);
    bool is_reference = false; // also an option of the reference command
    bool acts_at_once = false; // what follows it is not read
};

const std::vector<CommandOption> &command_options(); // options.cpp

// An option found on the command line.
struct FoundOption {
    const CommandOption *option;
    std::string value;
};

// Returns all options in order. Throws Failure(usage) for unknown and ambiguous ones and for missing or unexpected
// values. Follows GNU getopt_long; in addition a prefix that is unique among the reference's options selects that
// option.
std::vector<FoundOption> scan_command_line(std::span<const char *const> arguments);

} // namespace vmaf::cli
