// Feature extractor names as users write them: plain, or pinned to a backend ("vif_cuda", backends.md 4.5).
#pragma once

#include <string>
#include <string_view>

#include "metrics/metric.hpp"

namespace vmaf {

struct ExtractorName {
    const MetricInfo *info = nullptr; // null if unknown
    std::string backend;              // pinned backend; empty: none
};

// `active`: the backend in use, whose name counts as a suffix even if it is not a known one.
ExtractorName parse_extractor_name(std::string_view name, std::string_view active = {});

// The extractor that a name or alias refers to; empty if unknown.
std::string plain_extractor_name(std::string_view name);

} // namespace vmaf
