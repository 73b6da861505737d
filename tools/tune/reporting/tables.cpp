// The tables of a report.
#include <cmath>
#include <nlohmann/json.hpp>

#include "curves/bd_rate.hpp"
#include "report/escape.hpp"
#include "reporting/charts.hpp"
#include "rows/configuration.hpp"
#include "rows/row.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

std::string cell_text(const json &row, const char *key) {
    const auto found = row.find(key);
    if (found == row.end() || found->is_null()) return "";
    return found->is_string() ? found->get<std::string>() : json_line(*found);
}

} // namespace

std::vector<Table> bd_rate_tables(const ReportData &data) {
    std::vector<Table> tables;
    for (std::size_t i = 0; i < data.panels.size(); i++) {
        const Panel &panel = data.panels[i];
        if (panel.curves.size() < 2) continue;
        Table table{"bd-rate-" + std::to_string(i + 1),
                    "BD-rate for " + short_name(panel.src) + ", " + panel.score_name() +
                        ": how much more (+) or less (−) bitrate the row needs than the column for the same score",
                    {"encoder"},
                    {}};
        for (const Curve &curve : panel.curves) table.columns.push_back("vs " + curve.name());
        for (const Curve &test : panel.curves) {
            std::vector<TableCell> cells = {test.name()};
            for (const Curve &anchor : panel.curves) {
                if (&test == &anchor) {
                    cells.push_back("·");
                    continue;
                }
                const auto result = bd_rate(anchor.points, test.points);
                if (!result) {
                    cells.push_back("no overlap of 4 points");
                    continue;
                }
                TableCell cell(result->percent, 1);
                cell.text = (result->percent > 0 ? "+" : "") + cell.text + " % (" + fixed_text(result->low, 0) + "–" +
                            fixed_text(result->high, 0) + ")";
                cells.push_back(std::move(cell));
            }
            table.rows.push_back(std::move(cells));
        }
        tables.push_back(std::move(table));
    }
    return tables;
}

Table row_table(const ReportData &data) {
    Table table{"rows",
                "All rows. Point at a figure to see it in full.",
                {"source", "encoder", "preset", "options", "q", "metric", "score", "p5", "min", "kbps", "bytes",
                 "encode fps", "encode s", "score s", "backend", "scale", "state"},
                {}};
    for (const json &row : data.rows) {
        const double score =
            row.contains("score") && row["score"].is_number() ? number_in(row, "score") : number_in(row, "vmaf_score");
        const std::string metric = row.contains("metric") ? cell_text(row, "metric") : "vmaf";
        const json &statistics = object_in(object_in(row, "scores"), metric);
        const double status = row.contains("exit_status") ? number_in(row, "exit_status") : 0;
        table.rows.push_back({short_name(cell_text(row, "src")),
                              cell_text(row, "encoder"),
                              cell_text(row, "preset"),
                              shell_quoted(configuration_of(row).options),
                              {number_in(row, "crf"), std::fmod(number_in(row, "crf"), 1) == 0 ? 0 : 2},
                              metric,
                              {score, 2},
                              {number_in(statistics, "p5"), 2},
                              {number_in(statistics, "min"), 2},
                              {number_in(row, "bitrate_kbps"), 1},
                              {number_in(row, "encode_size_bytes"), 0},
                              {number_in(row, "encode_fps"), 1},
                              {number_in(row, "encode_time_ms") / 1000, 2},
                              {number_in(row, "score_time_ms") / 1000, 2},
                              cell_text(row, "score_backend"),
                              cell_text(row, "score_scale"),
                              status == 0 ? (flag_in(row, "from_cache", false) ? "ok, cached" : "ok")
                                          : "failed (" + number_text(status) + ")"});
    }
    return table;
}

Table failed_table(const ReportData &data) {
    Table table{
        "failed", "Rows that failed, and why", {"source", "encoder", "preset", "q", "stage", "status", "reason"}, {}};
    for (const json &row : data.failed) {
        const json error = row.contains("error") && row["error"].is_object() ? row["error"] : json::object();
        table.rows.push_back({short_name(cell_text(row, "src")),
                              cell_text(row, "encoder"),
                              cell_text(row, "preset"),
                              {number_in(row, "crf"), std::fmod(number_in(row, "crf"), 1) == 0 ? 0 : 2},
                              cell_text(error, "stage"),
                              {number_in(row, "exit_status"), 0},
                              cell_text(error, "message")});
    }
    return table;
}

Table cost_table(const ReportData &data) {
    struct Cost {
        double rows = 0, cached = 0, encode = 0, score = 0, frames = 0;
    };
    std::map<std::string, Cost> costs;
    for (const json &row : data.rows) {
        const std::string options = shell_quoted(configuration_of(row).options);
        Cost &cost =
            costs[cell_text(row, "encoder") + " " + cell_text(row, "preset") + (options.empty() ? "" : " " + options)];
        const auto add = [&](double &sum, const char *key, double factor) {
            if (const double v = number_in(row, key); std::isfinite(v)) sum += v * factor;
        };
        cost.rows++;
        cost.cached += flag_in(row, "from_cache", false);
        add(cost.encode, "encode_time_ms", 0.001);
        add(cost.score, "score_time_ms", 0.001);
        add(cost.frames, "encoded_frames", 1);
    }
    Table table{
        "cost-table", "What it took", {"encoder", "rows", "from cache", "encode s", "score s", "frames/s encoded"}, {}};
    for (const auto &[name, c] : costs)
        table.rows.push_back({name,
                              {c.rows, 0},
                              {c.cached, 0},
                              {c.encode, 1},
                              {c.score, 1},
                              {c.encode > 0 ? c.frames / c.encode : std::nan(""), 1}});
    return table;
}

Table worst_table(const FrameScores &scores, const std::string &id) {
    Table table{id, "The worst frames, at least a quarter of a second apart", {"frame", "time", scores.metric}, {}};
    for (const std::size_t i : worst_frames(scores, 10)) {
        TableCell time(scores.seconds_of(i) < 0 ? std::nan("") : scores.seconds_of(i), 3);
        time.text = time_code(scores.seconds_of(i));
        table.rows.push_back({{double(i), 0}, time, {scores.main()[i], 3}});
    }
    return table;
}

Table shot_table(const json &plan, const std::string &id) {
    Table table{id, "Shots", {"shot", "first frame", "end frame", "q", "score", "kbps", "probes", "target met"}, {}};
    for (const json &shot : list_in(plan, "shots"))
        table.rows.push_back({{double(table.rows.size()), 0},
                              {number_in(shot, "start_frame"), 0},
                              {number_in(shot, "end_frame"), 0},
                              {number_in(shot, "crf"), 1},
                              {number_in(shot, "predicted_vmaf"), 2},
                              {number_in(shot, "bitrate_kbps"), 1},
                              {number_in(shot, "probes"), 0},
                              flag_in(shot, "met", true) ? "yes" : "no"});
    return table;
}

std::vector<Table> shot_tables(const ReportData &data) {
    std::vector<Table> tables;
    for (const json &plan : data.plans)
        tables.push_back(shot_table(plan, "shot-table-" + std::to_string(tables.size() + 1)));
    return tables;
}

std::string csv_text(const Table &table) {
    std::string text;
    for (std::size_t i = 0; i < table.columns.size(); i++) text += (i ? "," : "") + csv_field(table.columns[i]);
    text += "\n";
    for (const auto &row : table.rows) {
        for (std::size_t i = 0; i < row.size(); i++) {
            if (i) text += ",";
            if (!row[i].value)
                text += csv_field(row[i].text);
            else if (std::isfinite(*row[i].value))
                text += number_text(*row[i].value);
        }
        text += "\n";
    }
    return text;
}

std::string markdown_text(const Table &table) {
    std::string text = table.caption.empty() ? "" : "### " + markdown_escaped(table.caption) + "\n\n";
    std::string rule;
    for (const std::string &name : table.columns) {
        text += "| " + markdown_escaped(name) + " ";
        rule += "| --- ";
    }
    text += "|\n" + rule + "|\n";
    for (const auto &row : table.rows) {
        for (const TableCell &c : row) text += "| " + markdown_escaped(c.text) + " ";
        text += "|\n";
    }
    return text + "\n";
}

} // namespace vmaf::tune
