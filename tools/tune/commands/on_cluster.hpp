// Commands on several machines: what their units are, how a node does one, and how the answer is put together.
#pragma once

#include <string>
#include <vector>

#include "executor/cluster_run.hpp"

namespace vmaf::tune {

// What each command does on a cluster.
ClusterCommand corpus_on_cluster();
ClusterCommand compare_on_cluster();
ClusterCommand ladder_on_cluster();
ClusterCommand per_shot_on_cluster();

// Runs the command here, or where the options say.
int run_anywhere(const Options &options, const ClusterCommand &command, int (*here)(const Options &));

// Runs the command line that a run was made with, for a task of it, its end, or its status.
int run_stored_command(Options &options, const std::string &folder);

int run_status(const Options &options);

} // namespace vmaf::tune
