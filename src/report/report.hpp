// The documents that state the scores of a run: XML, JSON, CSV, SUB (cli-and-formats.md 13).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "report/number.hpp"
#include "scores/collector.hpp"

namespace vmaf {

enum class ReportFormat { xml, json, csv, sub };

struct Report {
    const ScoreCollector &scores;
    std::string version;
    unsigned width = 0, height = 0; // of the first pair of pictures
    unsigned pictures = 0;          // pairs offered
    unsigned subsample = 1;         // at least 1
    NumberFormat numbers;
    std::string backend_used; // JSON key of that name; left out where empty
};

// Hands the document to `out` in pieces.
void write_report(const Report &report, ReportFormat format, const std::function<void(std::string_view)> &out);

std::string json_string(std::string_view text); // in quotes

} // namespace vmaf
