// Commands on several machines: what their units are, how a node does one, and how the answer is put together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "commands/corpus_plan.hpp"
#include "executor/cluster_run.hpp"

namespace vmaf::tune {

// A request with what an executor settled of it.
template <class Request> Request settled_as(Request request, const ClusterRequest &settled) {
    static_cast<ClusterRequest &>(request) = settled;
    return request;
}

// A command whose parts measure alone: each says what its parts are, does one, and answers from what they measured.
using LocalCommand = std::function<int(const ClusterRequest &)>;
ClusterCommand command_by_parts(const std::string &name, const LocalCommand &run);
ClusterCommand corpus_on_cluster(const CorpusRequest &request);

// Runs the command here, or where the request says.
template <class Request>
int run_anywhere(const Request &o, const ClusterCommand &command, int (*here)(const Request &)) {
    if (o.cluster.executor == ExecutorKind::slurm || !o.cluster.task_folder.empty())
        if (const auto code = run_on_cluster(o, command)) return *code;
    return here(o);
}
template <class Request> int run_anywhere(const Request &o, const std::string &name, int (*here)(const Request &)) {
    const auto settled = [o, here](const ClusterRequest &settled) { return here(settled_as(o, settled)); };
    return run_anywhere(o, command_by_parts(name, settled), here);
}

// Runs the command line that a run was made with, for a task of it, its end, or its status.
int run_stored_command(const ClusterWork &work, const std::string &folder);

} // namespace vmaf::tune
