// The parity gate (backends.md 11): compares the scores of a feature on two backends, frame by frame, against a
// ceiling.
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
    std::map<std::string, unsigned> device; // for backends with a device flag
    std::string workdir, json_out, md_out, gpu_id, calibration_table;
    unsigned cell = 0;    // not 0: also compare cells of this size, for features that have them (maps.md)
    bool is_exact = true; // this project's ceilings; false: the published ones
    bool allow_skip = false;
    std::string help; // not empty: print it and ignore the rest
};

// Throws std::exception for bad usage.
Options parse_arguments(int argc, char **argv);

// The scores of a run: metric -> frame -> value; NaN for null in the document.
using Scores = std::map<std::string, std::map<unsigned, double>>;

struct Run {
    Scores scores;
    std::string error;        // not empty: the run failed
    bool is_unusable = false; // the backend is not built or unavailable
};

// Backend names: those of `vmaf --backend`, `host` (device kernels on the CPU, through the library), and the
// instruction sets `scalar avx2 avx512 neon` (the CPU with all others disabled).
Run run_feature(const Options &options, const std::string &feature, const std::string &backend);

// Features that all backends support, in the library's order.
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
    std::map<std::string, unsigned> mismatches; // frames above the ceiling, per metric
    Status status = Status::ok;
    Ceiling ceiling;
};

Cell compare(const Run &a, const Run &b, const Ceiling &ceiling);

// The ceilings of 11.1, overridden by a calibration table that applies.
class Ceilings {
  public:
    explicit Ceilings(const Options &options); // throws std::invalid_argument for an unreadable table
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
