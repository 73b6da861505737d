// The score of a probe over several samples (tune.md 8.4), and its prediction for the whole source (8.5).
#pragma once

#include <string>
#include <vector>

#include "stages/probe.hpp"

namespace vmaf::tune {

// Score of each sample.
std::vector<double> sample_scores(const ProbeResult &probe, const std::string &metric, const std::string &pool);

// Throws Error for a missing metric.
double aggregated(const ProbeResult &probe, const std::string &metric, const std::string &pool, SampleAggregate how);

// Index of the sample with the worst score.
std::size_t worst_sample(const ProbeResult &probe, const std::string &metric, const std::string &pool);

struct Prediction {
    double bytes = 0, percent = 0; // of the whole encode; of the source's size
    double seconds = 0;            // to encode the whole; whole seconds above one
};
Prediction predict_whole(const ProbeSetup &setup, const ProbeResult &probe);

} // namespace vmaf::tune
