// Whole metrics: every instruction set gives the scores of scalar code.
#pragma once

#include <string>
#include <vector>

#include "metrics/metric.hpp"

namespace vmaf::equality {

struct MetricCase {
    std::string name; // "metric:motion"
    const MetricInfo *info;
    double tolerance; // relative
};

std::vector<MetricCase> metric_cases();

// One line per score that differs. `trials` counts the scored clips.
std::vector<std::string> check_metric(const MetricCase &metric, const std::vector<Isa> &isas, bool quick,
                                      unsigned long &trials);

} // namespace vmaf::equality
