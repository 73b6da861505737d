// Rows as lines of files.
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "rows/row.hpp"
#include "system/filesystem.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;

json parse_row(std::string line) {
    // Older tools write bare NaN, which is invalid JSON.
    for (const auto &[from, to] : {std::pair(": NaN", ": null"), std::pair(":NaN", ":null")})
        for (std::size_t at = 0; (at = line.find(from, at)) != std::string::npos;)
            line.replace(at, std::strlen(from), to);
    if (line.size() > (16u << 20)) return nullptr;
    json row = json_of(line);
    if (!row.is_object()) return nullptr;
    for (const auto &[old_key, key] : {std::pair("codec", "encoder"), std::pair("q", "crf"), std::pair("cq", "crf"),
                                       std::pair("vmaf", "vmaf_score"), std::pair("actual_kbps", "bitrate_kbps")})
        if (row.contains(old_key) && !row.contains(key)) row[key] = row[old_key];
    return row;
}

std::vector<json> read_rows(const std::string &path, std::istream &lines,
                            const std::function<void(const std::string &)> &complain) {
    std::vector<json> rows;
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        number++;
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        json row = parse_row(std::move(line));
        if (!row.is_object()) {
            complain(path + ":" + std::to_string(number) + ": not a row; skipped");
            continue;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

namespace {

system::GrowingFile open_rows(const std::string &path, RowWriter::Mode mode) {
    using Start = system::GrowingFile::Start;
    std::error_code error;
    if (mode == RowWriter::Mode::fresh && path != "-" && system::fs::is_regular_file(path, error) &&
        system::fs::file_size(path, error) > 0)
        throw Error(EEXIST, "'" + path + "' exists; use --resume to continue it, --append or --overwrite");
    return {path, mode == RowWriter::Mode::overwrite ? Start::empty
                  : mode == RowWriter::Mode::resume  ? Start::after_whole_lines
                                                     : Start::at_end};
}

} // namespace

RowWriter::RowWriter(const std::string &path, Mode mode) : file_(open_rows(path, mode)), is_empty_(file_.was_empty()) {}

void RowWriter::write_line(const std::string &text) {
    is_empty_ = false;
    file_.append(text + "\n");
}

} // namespace vmaf::tune
