// Processing of the command line before parsing, and of parse errors (tune.md 2, 2.2, 2.3).
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace CLI {
class Option;
}

namespace vmaf::tune {

// Long names of a flag. `--q`, another name of `--crf`, is not in the table of flags: CLI11 2.4 confuses it with `-q`.
std::vector<std::string> long_names(const CLI::Option &option);

// `--q` becomes `--crf`. Every flag without a value has a --no- form, and every --no- flag a positive one:
// `--no-keep` becomes `--keep=false`. Negative forms are not in the table of flags, so they do not clutter the
// help.
void resolve_negations(const CLI::App &app, std::vector<std::string> &arguments);

// What an unknown flag was probably meant to be; empty if unknown.
std::string hint_for_unknown_flag(const CLI::App &app, const std::vector<std::string> &arguments);

// A message if the first word (or the one after `cache`) is no command; otherwise empty.
std::string unknown_command(const CLI::App &app, const std::vector<std::string> &arguments);

// Flags of an older tool of the same name: accepted, with a notice if they mean something else here.
void bind_older_flags(CLI::App &app, ProbeRequest &o, SearchOptions *search = nullptr);

} // namespace vmaf::tune
