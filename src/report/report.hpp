// The documents that state the scores of a run: XML, JSON, CSV, SUB (cli-and-formats.md 13).
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

// What was found out about video files and done to them; nothing for clips that are compared as they are.
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

// What was asked for about parts of pictures (maps.md 7).
struct ReportArea {
    int x = 0, y = 0, width = 0, height = 0;
};
struct LocalReport {
    struct RegionPlace {
        std::string name;
        std::optional<ReportArea> area; // none: it moves
    };
    struct Cell {
        unsigned frame = 0;
        int column = 0, row = 0;
        ReportArea area;
        double score = 0;
    };
    std::vector<RegionPlace> regions;
    std::vector<std::string> sparse_names; // scores that only some frames have: pooled over these
    std::string map_score;                 // empty: no map
    int cell_size = 0;
    std::vector<int> map_x, map_y; // edges of cells
    std::vector<Cell> worst_cells; // worst first
};

struct Report {
    const ScoreCollector &scores;
    std::string version;
    unsigned width = 0, height = 0; // of the first pair of pictures
    unsigned pictures = 0;          // pairs offered
    unsigned subsample = 1;         // at least 1
    NumberFormat numbers;
    std::vector<double> percentiles; // 0 to 100: pooled as "p5" and so on, beside min, max and means
    std::string backend_used;        // JSON key of that name; left out where empty
    std::vector<std::pair<std::string, std::string>> feature_backends; // JSON: extractors and where they ran, if any
    std::vector<std::pair<std::string, std::string>> chosen_models;    // JSON: names and versions, where we chose them
    InputReport inputs;                                                // in XML and JSON, where there are sections
    LocalReport local;                                                 // JSON, where there are regions or maps
};

// Hands the document to `out` in pieces.
void write_report(const Report &report, ReportFormat format, const std::function<void(std::string_view)> &out);

} // namespace vmaf
