// The parity gate (backends.md 11): scores of one feature on two backends, frame by frame, against a ceiling.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vmaf::parity {

struct Options {
    std::string vmaf_binary, reference, distorted;
    unsigned width = 0, height = 0, bits = 8; // of raw clips; 0: YUV4MPEG2
    std::string pixel_format = "420";
    std::vector<std::string> features, backends = {"cpu", "cuda"}, fp16_features;
    std::map<std::string, unsigned> device; // of the backends that have a flag for it
    std::string workdir, json_out, md_out, gpu_id, calibration_table;
    unsigned cell = 0;    // not 0: the scores of such cells, too, of features that have them (maps.md)
    bool is_exact = true; // the project's own ceilings; false: the published ones
    bool allow_skip = false;
    std::string help; // not empty: it was asked for, and nothing else counts
};

// Throws std::exception for bad usage.
Options parse_arguments(int argc, char **argv);

// Scores of one run: metric -> frame -> value; NaN where the document has null.
using Scores = std::map<std::string, std::map<unsigned, double>>;

struct Run {
    Scores scores;
    std::string error;        // not empty: the run failed
    bool is_unusable = false; // because the backend is not built or not usable
};

// Words for backends: those of `vmaf --backend`, `host` (device kernels run by the CPU, through the library), and the
// instruction sets `scalar avx2 avx512 neon`, which are the CPU with others forbidden.
Run run_feature(const Options &options, const std::string &feature, const std::string &backend);

// Features whose scores both backends can make; in the order of the library's list.
std::vector<std::string> features_of(const std::vector<std::string> &backends);

enum class Status { ok, fail, error, skip };
std::string_view to_string(Status status); // "OK"

struct Ceiling {
    double value = 0;
    std::string source = "default";
};

struct Cell {
    std::string feature, backend_a, backend_b, note;
    std::size_t frames = 0;
    std::map<std::string, double> largest;      // |a - b| by metric
    std::map<std::string, unsigned> mismatches; // frames above the ceiling, by metric
    Status status = Status::ok;
    Ceiling ceiling;
};

Cell compare(const Run &a, const Run &b, const Ceiling &ceiling);

// Ceilings of 11.1, with those of a calibration table where one applies.
class Ceilings {
  public:
    explicit Ceilings(const Options &options); // throws std::invalid_argument for a table that cannot be read
    Ceiling of(const std::string &feature) const;

  private:
    const Options &options_;
    struct Row {
        std::string pattern;
        bool is_calibrated;
        std::map<std::string, double> features;
    };
    std::optional<Row> row_;
};

std::string line(const Cell &cell);
std::string json_report(const std::vector<Cell> &cells);
std::string markdown_report(const std::vector<Cell> &cells);

} // namespace vmaf::parity
