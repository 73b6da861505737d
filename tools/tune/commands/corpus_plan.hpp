// The cells of a corpus, determined before the first encode (tune.md 12.1).
#pragma once

#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/outputs.hpp"
#include "commands/quality_target.hpp"

namespace vmaf::tune {

enum class CorpusFormat { jsonl, csv };

struct CorpusRequest : ProbeRequest, SearchOptions, ClusterOptions {
    std::string q_range, frames_out;
    bool resume = false, append = false, retry_failed = false, unordered = false;
    bool coarse_to_fine = false; // quality values by a search
    CorpusFormat format = CorpusFormat::jsonl;
};

CommandFiles files_of(const CorpusRequest &request);

// A source with an encoder, a preset and a variant: its cells differ only in quality.
struct CorpusSeries {
    ProbeSetup setup;
    Outcome outcome; // if it failed, all its cells fail
};

// Sources, encoders and their combinations, created on demand: a cluster task needs few of them.
class CorpusGrid {
  public:
    CorpusGrid(Run &run, const CorpusRequest &request);

    // One unit per cell, or per search of quality values, in row order: source, encoder, preset, quality. Checks
    // everything against all adapters. Unusable encoders or sources are reported and become failed rows; if none
    // remains, or with --strict, throws CommandError.
    std::vector<nlohmann::json> units();

    const CorpusSeries &series(const nlohmann::json &unit);
    std::string kept_name(const ProbeSetup &setup, double q) const; // of an encode

  private:
    struct Encoder {
        const Adapter *adapter;
        Outcome outcome;
    };
    struct OpenedSource { // an unreadable one has only its path
        Source source;
        Outcome outcome;
    };
    std::vector<std::string> encoder_names() const;
    const Encoder &encoder(const std::string &name);
    const OpenedSource &source(const std::string &path);
    std::vector<nlohmann::json> series_units();
    void check_values(const std::vector<nlohmann::json> &series, const std::vector<double> &values);
    CorpusSeries make_series(const nlohmann::json &unit);

    Run &run_;
    const CorpusRequest &o_;
    const std::vector<Variant> variants_;
    std::set<std::string> repeated_; // stems shared by several sources
    std::map<std::string, Encoder> encoders_;
    std::map<std::string, OpenedSource> sources_;
    std::recursive_mutex mutex_;
    std::map<std::string, CorpusSeries> series_; // keyed by units without their quality
};

} // namespace vmaf::tune
