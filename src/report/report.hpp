// Writes the documents of a run: XML, JSON, CSV, SUB (cli-and-formats.md 13).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/number.hpp"
#include "scores/collector.hpp"

namespace vmaf {

enum class ReportFormat { xml, json, csv, sub };

// What was detected in video files and done to them; empty for clips compared as stored.
struct InputReport {
    struct Fact {
        std::string name, value;
        bool is_number = false;
    };
    struct Section {
        std::string name;
        std::vector<Fact> facts;
    };
    std::vector<Section> sections;
    std::vector<std::string> steps, warnings, notes;
};

// Requested regions and maps (maps.md 7).
struct ReportArea {
    int x = 0, y = 0, width = 0, height = 0;
};
struct LocalReport {
    struct RegionPlace {
        std::string name;
        std::optional<ReportArea> area; // empty if it moves
    };
    struct Cell {
        unsigned frame = 0;
        int column = 0, row = 0;
        ReportArea area;
        double score = 0;
    };
    std::vector<RegionPlace> regions;
    std::vector<std::string> sparse_names; // scores that only some frames have: pooled over those
    std::string map_score;                 // empty without a map
    int cell_size = 0;
    std::vector<int> map_x, map_y; // cell edges
    std::vector<Cell> worst_cells; // worst first
};

struct Report {
    const ScoreCollector &scores;
    std::string version;
    unsigned width = 0, height = 0; // of the first pair of pictures
    unsigned pictures = 0;          // pairs offered
    unsigned subsample = 1;         // at least 1
    NumberFormat numbers;
    std::vector<double> percentiles;                                   // 0 to 100: also pooled, as "p5" and so on
    std::string backend_used;                                          // a JSON key; omitted if empty
    std::vector<std::pair<std::string, std::string>> feature_backends; // JSON: extractors and where they ran
    std::vector<std::pair<std::string, std::string>> chosen_models; // JSON: names and versions of models that we chose
    InputReport inputs;                                             // XML and JSON, if not empty
    LocalReport local;                                              // JSON, if there are regions or maps
};

// Passes the document to `out` in pieces.
void write_report(const Report &report, ReportFormat format, const std::function<void(std::string_view)> &out);

} // namespace vmaf
