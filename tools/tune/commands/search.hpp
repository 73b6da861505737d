// `search`: the lowest quality value that meets a target (tune.md 12.2).
#pragma once

#include "cli/outputs.hpp"

namespace vmaf::tune {

struct SearchRequest : ProbeRequest, SearchOptions, CorpusInput, ClusterOptions {
    bool interpolate = false; // between rows
};

CommandFiles files_of(const SearchRequest &request);
int search_corpus(const SearchRequest &request); // from existing rows

} // namespace vmaf::tune
