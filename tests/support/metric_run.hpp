// Runs one metric over pictures in memory, without a session.
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
    // Of frames 0, 1, ... ; throws std::out_of_range where one is missing.
    std::vector<double> series(const std::string &name) const;
};

// Frame `index` of a clip in memory, with as much of what came before as the metric looks at.
FrameInput frame_input(const Metric &metric, const std::vector<Picture> &ref, const std::vector<Picture> &dist,
                       unsigned index, Parallel &parallel);

// Frames are numbered from 0. `dist` may be empty for metrics that look at the reference only.
MetricScores run_metric(const MetricInfo &info, const OptionTexts &options, const std::vector<Picture> &ref,
                        const std::vector<Picture> &dist, Isa isa = Isa::scalar);
MetricScores run_metric(const MetricInfo &info, const OptionTexts &options, const std::vector<Picture> &ref,
                        const std::vector<Picture> &dist, Isa isa, Parallel &parallel);

} // namespace vmaf
