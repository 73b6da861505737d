// Jobs on a cluster: planned here, executed by tasks of Slurm arrays, and answered by the process that finds all units
// done.
#pragma once

#include "jobs/job.hpp"

namespace vmaf::tune {

// `command_line` is the parsed command line, for the tasks.
int run_on_slurm(const JobCommand &command, const std::vector<std::string> &command_line);

// After the array of a phase: resubmits what was lost, starts the next phase, or makes the answer.
int settle_run(const JobCommand &command, const std::string &folder, std::size_t phase);

// `vmaf-tune status`; it can also complete the run.
struct StatusWish {
    bool attach = false, wait = false, cancel = false, as_json = false;
    bool acts() const { return attach || wait || cancel; }
};
int show_status(const JobCommand &command, const std::string &folder, const StatusWish &wish);

} // namespace vmaf::tune
