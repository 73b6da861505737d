// Keeps a command from overwriting its inputs.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace vmaf::tune {

struct CommandFiles {
    struct Input {
        const char *what;
        std::string path;
        bool is_source = false;
    };
    std::vector<Input> inputs;
    std::vector<std::string> outputs;
};

// The files named in the groups; a command adds its own.
CommandFiles files_of(const RunningOptions &options);
CommandFiles files_of(const ProbeRequest &request);

// Throws CommandError(usage) if an output is one of the inputs, under any name, or is named twice.
void check_files(const CommandFiles &files);

// The same for an output with a generated name.
void check_output(const CommandFiles &files, const std::string &path);

// An answer on standard output. On a terminal control characters are made visible.
void print_answer(const std::string &text);

} // namespace vmaf::tune
