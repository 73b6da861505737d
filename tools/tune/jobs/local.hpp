// Jobs on this machine.
#pragma once

#include "jobs/job.hpp"

namespace vmaf::tune {

// Runs units side by side and hands on what each gives, in order or as they end. Throws what a unit throws,
// after the others that run have ended.
void run_units(Job &job, const std::vector<nlohmann::json> &units, const JobRows &so_far, bool keeps_order,
               const std::function<void(std::size_t number, std::vector<nlohmann::json> rows)> &done);

int run_here(const JobCommand &command);

} // namespace vmaf::tune
