// What a corpus consists of, settled before the first encode (tune.md 12.1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "commands/quality_target.hpp"
#include "search/search.hpp"

namespace vmaf::tune {

enum class CorpusFormat { jsonl, csv };

struct CorpusRequest : ClusterRequest, SearchOptions {
    std::string q_range, frames_out;
    bool resume = false, append = false, retry_failed = false, unordered = false;
    bool coarse_to_fine = false; // quality values by a search
    CorpusFormat format = CorpusFormat::jsonl;
};

// One or more cells of one source, encoder and preset.
struct CorpusJob {
    ProbeSetup setup;
    std::vector<double> qualities;      // none: a coarse search chooses them
    std::optional<ProbeResult> failure; // why nothing of it can be done; its cells become failed rows
};

struct CorpusPlan {
    std::vector<CorpusJob> jobs; // in the order of the rows: source, encoder, preset, quality
    std::size_t cells = 0;       // as far as they are known
};

// Checks everything against all adapters. An encoder or a source that cannot be used is told and becomes failed rows;
// if no encoder or no source is left, or with --strict, CommandError.
CorpusPlan plan_corpus(Run &run, const CorpusRequest &request);

// Rows of a task carry the scores of their frames under this key, until all rows are merged.
inline constexpr const char *kFramesOfRow = "frames_of_row";

// The grid and the settings of a coarse search over it.
SearchSettings coarse_settings(const QualityGrid &grid, const SearchOptions &options);

CommandFiles files_of(const CorpusRequest &request);
int run_corpus(const CorpusRequest &request);

} // namespace vmaf::tune
