// Runs a metric on pictures in memory, without a session.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "metrics/metric.hpp"

namespace vmaf {

struct MetricScores {
    std::map<std::string, std::map<unsigned, double>> frames; // by full feature name, then frame number
    std::map<std::string, double> aggregates;

    double at(const std::string &name, unsigned frame) const { return frames.at(name).at(frame); }
    // Scores of frames 0, 1, ...; throws std::out_of_range if one is missing.
    std::vector<double> series(const std::string &name) const;
};

// Frame `index` of a clip in memory, with the earlier frames that the metric needs.
FrameInput frame_input(const Metric &metric, const std::vector<Picture> &ref, const std::vector<Picture> &dist,
                       unsigned index, Parallel &parallel);

// Numbers frames from 0. `dist` may be empty for metrics that read only the reference.
MetricScores run_metric(const MetricInfo &info, const OptionTexts &options, const std::vector<Picture> &ref,
                        const std::vector<Picture> &dist, Isa isa = Isa::scalar);
MetricScores run_metric(const MetricInfo &info, const OptionTexts &options, const std::vector<Picture> &ref,
                        const std::vector<Picture> &dist, Isa isa, Parallel &parallel);

} // namespace vmaf
