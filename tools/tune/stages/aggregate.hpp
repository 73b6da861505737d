// What a probe over several samples counts as (tune.md 8.4), and what it says about the whole source (8.5).
#pragma once

#include <string>
#include <vector>

#include "stages/probe.hpp"

namespace vmaf::tune {

// Score of each sample.
std::vector<double> sample_scores(const ProbeResult &probe, const std::string &metric, const std::string &pool);

// Throws Error for a metric that is not there.
double aggregated(const ProbeResult &probe, const std::string &metric, const std::string &pool, SampleAggregate how);

// Index of the sample with the worst score.
std::size_t worst_sample(const ProbeResult &probe, const std::string &metric, const std::string &pool);

struct Prediction {
    double bytes = 0, percent = 0; // of the whole encode, and of the source's size
    double seconds = 0;            // to encode the whole; whole seconds above one
};
Prediction predict_whole(const ProbeSetup &setup, const ProbeResult &probe);

} // namespace vmaf::tune
