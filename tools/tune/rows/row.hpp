// JSONL rows: one object per probe, keys in byte order (tune.md 11).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "stages/probe.hpp"
#include "system/files.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

nlohmann::json make_row(const ProbeSetup &setup, const ProbeResult &result);
// Per-frame scores of a probe, for reports.
nlohmann::json frames_json(const ProbeSetup &setup, const ProbeResult &result);

// Parses a line, including aliases and bare NaN of older tools; null if it is no row.
nlohmann::json parse_row(std::string line);

// Reads rows, including old schemas; reports malformed lines through `complain`, with their numbers.
std::vector<nlohmann::json> read_rows(const std::string &name, std::istream &lines,
                                      const std::function<void(const std::string &)> &complain);

// Appends whole lines, each with one write and a flush.
class RowWriter {
  public:
    enum class Mode { fresh, overwrite, append, resume };
    // Throws Error if the file exists and `fresh` is requested, or if it cannot be written.
    RowWriter(const std::string &path, Mode mode);
    void write(const nlohmann::json &row) { write_line(json_line(row)); } // throws OutputError
    void write_line(const std::string &line);
    bool is_empty() const { return is_empty_; } // the file is still empty

  private:
    system::GrowingFile file_;
    bool is_empty_;
};

std::string random_id();     // 32 hex digits
std::string utc_timestamp(); // YYYY-MM-DDThh:mm:ss+00:00

} // namespace vmaf::tune
