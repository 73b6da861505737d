// All metrics, in the order in which a model's feature names are resolved (models.md 5.3).
#pragma once

#include <span>
#include <string_view>

#include "metrics/metric.hpp"

namespace vmaf {

std::span<const MetricInfo *const> all_metrics();
const MetricInfo *find_metric(std::string_view extractor_name); // accepts older names; null if unknown
const MetricInfo *provider_of(std::string_view feature_name);   // null if no metric provides it

} // namespace vmaf
