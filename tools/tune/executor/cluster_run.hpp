// A command on several machines: its units are planned here, done by tasks of a Slurm array, and put together at the
// end by whoever finds them all done.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/cluster_work.hpp"
#include "executor/run_folder.hpp"

namespace vmaf::tune {

// What a command does with its units.
struct ClusterCommand {
    std::string name;
    // Units and phases of the manifest; throws CommandError before anything is submitted.
    std::function<void(const ClusterRequest &options, Manifest &manifest)> plan;
    // Does units of one group on a node, telling each as it is done. Throws CommandError.
    std::function<void(const ClusterRequest &options, const std::vector<nlohmann::json> &units,
                       const std::function<void(std::size_t, const UnitResult &)> &done)>
        work;
    // Makes the answer out of the results, with an exit code. Units may be missing after --cancel.
    std::function<int(const ClusterRequest &options, const Manifest &manifest,
                      const std::map<std::size_t, UnitResult> &results)>
        finish;
    bool is_finish_light = true; // nothing is encoded any more
};

// Where the options say so on a cluster, or as a task of it; else nothing is done.
std::optional<int> run_on_cluster(const ClusterRequest &options, const ClusterCommand &command);

// `vmaf-tune status`. With `command` (that of the run) it may also bring the run to its end.
int show_status(const ClusterRequest &options, const RunFolder &run, const ClusterCommand &command);

} // namespace vmaf::tune
