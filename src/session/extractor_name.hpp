// Names of feature extractors as users write them: plain, or pinned to a backend ("vif_cuda", backends.md 4.5).
#pragma once

#include <string>
#include <string_view>

#include "metrics/metric.hpp"

namespace vmaf {

struct ExtractorName {
    const MetricInfo *info = nullptr; // null if there is no such extractor
    std::string backend;              // that it is pinned to; empty: none
};

// `active`: the backend in use, whose name counts as a suffix too where it is none of the known ones.
ExtractorName parse_extractor_name(std::string_view name, std::string_view active = {});

// The extractor that a name or one of the aliases of pinned names stands for; empty if there is none.
std::string plain_extractor_name(std::string_view name);

} // namespace vmaf
