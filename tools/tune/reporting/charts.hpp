// The charts and tables of a report, each with its figures (tune.md 13.2, 13.3).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reporting/plot.hpp"
#include "reporting/report_data.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

struct TableCell {
    std::string text;                 // as shown: rounded
    std::optional<double> value = {}; // sort key, unrounded
    TableCell(std::string t) : text(std::move(t)) {}
    TableCell(const char *t) : text(t) {}
    TableCell(double v, int digits) : text(fixed_text(v, digits)), value(v) {}
};

struct Table {
    std::string id, caption;
    std::vector<std::string> columns;
    std::vector<std::vector<TableCell>> rows;
};

struct Chart {
    std::string kind, heading, caption;
    Plot plot;
    Table table;           // the plot's figures
    std::size_t index = 0; // among charts of its kind; of "frames" and "histogram": of FrameScores
};

// Names for --svg.
const std::vector<std::string> &chart_kinds();

// All charts that the data permit, in report order.
std::vector<Chart> make_charts(const ReportData &data, const std::vector<double> &targets);

// The charts of one panel: rate, quality value and, if times are known, speed.
std::vector<Chart> panel_charts(const Panel &panel, const std::vector<double> &targets, std::size_t index);

std::vector<Table> bd_rate_tables(const ReportData &data); // one per panel with two curves or more
Table row_table(const ReportData &data);
Table failed_table(const ReportData &data);
Table cost_table(const ReportData &data);
Table worst_table(const FrameScores &scores, const std::string &id);
Table shot_table(const nlohmann::json &plan, const std::string &id);
std::vector<Table> shot_tables(const ReportData &data);

std::string csv_text(const Table &table); // full precision, RFC 4180
std::string markdown_text(const Table &table);

} // namespace vmaf::tune
