// What a command writes must not be what it reads.
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

// What the groups name; a command with files of its own adds them.
CommandFiles files_of(const RunningOptions &options);
CommandFiles files_of(const ProbeRequest &request);

// Throws CommandError(usage) if an output is one of the inputs, under whatever name, or named as an output twice.
void check_files(const CommandFiles &files);

// The same for an output whose name was put together.
void check_output(const CommandFiles &files, const std::string &path);

} // namespace vmaf::tune
