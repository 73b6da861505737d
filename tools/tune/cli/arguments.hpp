// What is done with the command line before it is parsed, and with what could not be parsed (tune.md 2, 2.2, 2.3).
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace CLI {
class Option;
}

namespace vmaf::tune {

// Long names of a flag. `--q`, the other name of `--crf`, is not in the table of flags: CLI11 2.4 takes it for `-q`.
std::vector<std::string> long_names(const CLI::Option &option);

// `--q` becomes `--crf`. Every flag without a value has a --no- form, and every --no- flag the form without it:
// `--no-keep` becomes
// `--keep=false`. Negative forms are not in the table of flags, so they do not clutter the help.
void resolve_negations(const CLI::App &app, std::vector<std::string> &arguments);

// What the writer of a flag that the command does not have may have meant; empty if unknown.
std::string hint_for_unknown_flag(const CLI::App &app, const std::vector<std::string> &arguments);

// A sentence about a first word (or that after `cache`) that is no command; empty if it is one.
std::string unknown_command(const CLI::App &app, const std::vector<std::string> &arguments);

// Flags of an older tool of the same name: accepted, with a notice where they mean something else here.
void bind_older_flags(CLI::App &app, ProbeRequest &o, SearchOptions *search = nullptr);

} // namespace vmaf::tune
