#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "parity.hpp"

namespace vmaf::parity {

namespace {

std::string formatted(const char *format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

double largest_of(const Cell &cell) {
    double largest = 0;
    for (const auto &[metric, value] : cell.largest) largest = std::max(largest, value);
    return largest;
}

std::string pair_of(const Cell &cell) { return cell.backend_a + " ↔ " + cell.backend_b; }

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

} // namespace

std::string line(const Cell &cell) {
    std::string text = cell.feature + "  " + pair_of(cell) + "  " + std::string(to_string(cell.status)) + "  " +
                       std::to_string(cell.frames) + " frames, largest difference " +
                       formatted("%.3e", largest_of(cell)) + ", ceiling " + formatted("%.1e", cell.ceiling.value);
    if (!cell.note.empty()) text += ": " + one_line(cell.note);
    return text;
}

std::string json_report(const std::vector<Cell> &cells) {
    nlohmann::json list = nlohmann::json::array();
    for (const Cell &cell : cells)
        list.push_back({{"backend_a", cell.backend_a},
                        {"backend_b", cell.backend_b},
                        {"feature", cell.feature},
                        {"n_frames", cell.frames},
                        {"note", cell.note},
                        {"per_metric_max_abs_diff", nlohmann::json(cell.largest)},
                        {"per_metric_mismatches", nlohmann::json(cell.mismatches)},
                        {"status", to_string(cell.status)},
                        {"tolerance_abs", cell.ceiling.value},
                        {"tolerance_source", cell.ceiling.source}});
    return nlohmann::json{{"cells", list}, {"schema_version", 1}}.dump(2, ' ', false,
                                                                       nlohmann::json::error_handler_t::replace) +
           "\n";
}

std::string markdown_report(const std::vector<Cell> &cells) {
    std::string text = "# Parity of backends\n\n| feature | backends | tolerance | source | frames | max abs diff | "
                       "status |\n|---|---|---|---|---|---|---|\n";
    for (const Cell &cell : cells)
        text += "| " + cell.feature + " | " + pair_of(cell) + " | " + formatted("%.1e", cell.ceiling.value) + " | " +
                cell.ceiling.source + " | " + std::to_string(cell.frames) + " | " +
                formatted("%.3e", largest_of(cell)) + " | " + std::string(to_string(cell.status)) + " |\n";
    const auto is_bad = [](const Cell &cell) { return cell.status != Status::ok; };
    if (std::none_of(cells.begin(), cells.end(), is_bad)) return text;
    text += "\n## Not OK\n";
    for (const Cell &cell : cells) {
        if (!is_bad(cell)) continue;
        text += "\n### " + cell.feature + ", " + pair_of(cell) + ": " + std::string(to_string(cell.status)) + "\n\n";
        if (!cell.note.empty()) text += one_line(cell.note) + "\n\n";
        for (const auto &[metric, value] : cell.largest)
            text += "- `" + metric + "`: largest difference " + formatted("%.3e", value) + ", " +
                    std::to_string(cell.mismatches.at(metric)) + " frames above the ceiling\n";
    }
    return text;
}

} // namespace vmaf::parity
