// Slurm through its commands: sbatch, squeue, scancel, and sacct with accounting.
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
    explicit Slurm(const ClusterOptions &options); // throws CommandError if the commands are missing

    struct Job {
        std::string name, folder, log;
        Arguments command;
        std::size_t tasks = 0; // of an array, each with the requested resources; 0: a single job
        std::string after;     // ids of jobs that must have ended in any way
    };
    // Returns its id. Throws CommandError with sbatch's message.
    std::string submit(const Job &job) const;

    // Everything of that name that has not ended; empty if the controller does not respond.
    std::optional<std::vector<QueuedTask>> queued(const std::string &name) const;
    void cancel(const std::string &name) const;
    // Which of these nodes do not respond or take no more work.
    std::vector<LostNode> lost(const std::vector<std::string> &nodes) const;
    // How a job's finished tasks ended, by state; empty without accounting.
    std::map<std::string, std::size_t> ended(const std::vector<std::string> &jobs) const;

    std::size_t most_tasks(std::size_t wanted) const; // that make sense in an array here

  private:
    const ClusterOptions &options_;
};

} // namespace vmaf::tune
