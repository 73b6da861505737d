// Whole metrics on every instruction set against the scalar path: the same scores.
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

// One line for each score that differs. `trials` counts the clips that were scored.
std::vector<std::string> check_metric(const MetricCase &metric, const std::vector<Isa> &isas, bool quick,
                                      unsigned long &trials);

} // namespace vmaf::equality
