// Slurm through its commands: sbatch, squeue, scancel, and sacct where accounting exists.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "process/child.hpp"

namespace vmaf::tune {

struct QueuedTask {
    std::string id, state, node, reason; // 12_3, RUNNING, n1, None
};

struct LostNode {
    std::string name, state, reason; // n2, down*, Not responding
};

class Slurm {
  public:
    explicit Slurm(const ClusterOptions &options); // throws CommandError where the commands are missing

    struct Job {
        std::string name, folder, log;
        Arguments command;
        std::size_t tasks = 0; // of an array, which gets the resources that were asked for; 0: a single job
        std::string after;     // ids of jobs that must have ended, however
    };
    // Its id. Throws CommandError with what sbatch says.
    std::string submit(const Job &job) const;

    // Everything of that name that has not ended; nothing where the controller does not answer.
    std::optional<std::vector<QueuedTask>> queued(const std::string &name) const;
    void cancel(const std::string &name) const;
    // Of these nodes, those that do not answer or take no more work.
    std::vector<LostNode> lost(const std::vector<std::string> &nodes) const;
    // How the tasks of a job ended that are no longer queued, by state; empty without accounting.
    std::map<std::string, std::size_t> ended(const std::vector<std::string> &jobs) const;

    std::size_t most_tasks(std::size_t wanted) const; // that make sense in an array here

  private:
    const ClusterOptions &options_;
};

} // namespace vmaf::tune
