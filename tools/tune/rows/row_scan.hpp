// Reads the few columns of rows that answers need, without building documents: 100 000 rows in a fraction of a second.
#pragma once

#include <cmath>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "system/mapped_file.hpp"

namespace vmaf::tune {

// Views into the file. Numbers that are missing, null or NaN are NaN.
struct ScannedRow {
    std::string_view src, encoder, preset, model, metric = "vmaf", pool = "mean";
    std::string_view name;                                  // of its set of options
    std::string_view options, extra_params, pix_fmt, scale; // of the configuration; the first two as JSON
    double width = 0, height = 0, encode_width = 0, encode_height = 0;
    std::string_view clip_mode, conditions; // how it was scored; conditions as JSON
    std::string_view encode_key, score_key;
    std::string_view scores; // an object: every metric with its statistics; may be empty
    double encode_fps = std::nan(""), score_fps = std::nan("");
    double q = std::nan(""), score = std::nan(""), vmaf_score = std::nan(""), kbps = 0;
    int exit_status = 0;

    // What distinguishes configurations of one encoder and preset; equal for rows of one curve.
    auto variant() const {
        return std::tuple(options, extra_params, is_scaled() ? encode_width : 0, is_scaled() ? encode_height : 0,
                          pix_fmt);
    }
    bool is_scaled() const { return encode_width > 0 && (encode_width != width || encode_height != height); }
};

// Reads a line; false if it is no object or needs a full parser.
bool scan_row(std::string_view line, ScannedRow &row);

// All rows of a file, including older schemas and their aliases. Reports malformed lines with their number.
class RowTable {
  public:
    enum class LastLine { as_it_is, only_if_ended }; // an unterminated line may be incomplete
    RowTable(const std::string &path, const std::function<void(const std::string &)> &complain,
             LastLine last = LastLine::as_it_is); // throws Error
    RowTable(const RowTable &) = delete;
    RowTable &operator=(const RowTable &) = delete;
    const std::vector<ScannedRow> &rows() const { return rows_; }

  private:
    struct Part { // consecutive lines of the file, read by one thread
        std::vector<ScannedRow> rows;
        std::deque<std::string> unescaped;  // rewritten texts
        std::vector<std::size_t> malformed; // line numbers, starting at 1
        std::size_t lines = 0;
    };
    static void scan(std::string_view text, Part &part);

    system::MappedFile file_;
    std::vector<Part> parts_;
    std::vector<ScannedRow> rows_;
};

} // namespace vmaf::tune
