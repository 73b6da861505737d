// Commands on several machines: what their units are, how a node does one, and how the answer is put together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "commands/options_of_commands.hpp"
#include "executor/cluster_run.hpp"

namespace vmaf::tune {

using LocalCommand = std::function<int(const Options &)>;

// A command whose parts measure alone: each says what its parts are, does one, and answers from what they measured.
ClusterCommand command_by_parts(const std::string &name, const LocalCommand &run);
ClusterCommand corpus_on_cluster(const CorpusOptions &own);

// Runs the command here, or where the options say.
int run_anywhere(const Options &options, const ClusterCommand &command, const LocalCommand &here);
int run_anywhere(const Options &options, const std::string &name, const LocalCommand &here); // by parts

// Runs the command line that a run was made with, for a task of it, its end, or its status.
int run_stored_command(Options &options, const std::string &folder);

int run_status(const Options &options);

} // namespace vmaf::tune
