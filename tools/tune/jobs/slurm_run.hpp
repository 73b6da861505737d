// Jobs on a cluster: planned here, done by tasks of Slurm arrays, and answered by the process that finds all units
// done.
#pragma once

#include "jobs/job.hpp"

namespace vmaf::tune {

// `command_line` is that of the command as it was parsed, for the tasks.
int run_on_slurm(const JobCommand &command, const std::vector<std::string> &command_line);

// After the array of a phase: submits what was lost, or the next phase, or makes the answer.
int settle_run(const JobCommand &command, const std::string &folder, std::size_t phase);

// `vmaf-tune status`; it may also bring the run to its end.
struct StatusWish {
    bool attach = false, wait = false, cancel = false, as_json = false;
    bool acts() const { return attach || wait || cancel; }
};
int show_status(const JobCommand &command, const std::string &folder, const StatusWish &wish);

} // namespace vmaf::tune
