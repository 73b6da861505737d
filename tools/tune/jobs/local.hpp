// Jobs on this machine.
#pragma once

#include "jobs/job.hpp"

namespace vmaf::tune {

// Runs units in parallel and passes on their results, in order or as they finish. Rethrows a unit's exception after the
// other running units have ended.
void run_units(Job &job, const std::vector<nlohmann::json> &units, const JobRows &so_far, bool keeps_order,
               const std::function<void(std::size_t number, std::vector<nlohmann::json> rows)> &done);

int run_here(const JobCommand &command);

} // namespace vmaf::tune
