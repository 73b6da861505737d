// The input of a report: rows of any command, per-frame scores, searches, ladders and shot plans, sorted by their
// content (tune.md 13).
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "curves/hull.hpp"
#include "rows/fields.hpp"
#include "stages/score.hpp"

namespace vmaf::tune {

struct Curve {
    std::string encoder, preset, details; // details: what distinguishes it from the panel's other curves
    std::vector<RatePoint> points;        // by bitrate
    std::string name() const { return encoder + " " + preset + (details.empty() ? "" : " " + details); }
};

// All curves of one source and one kind of score: the comparable ones.
struct Panel {
    std::string src, metric, pool;
    std::vector<Curve> curves;
    std::vector<RatePoint> hull;
    std::string conditions; // how it was scored, if the source's rows were scored in several ways
    std::string score_name() const {
        return (metric == "vmaf" ? "VMAF" : metric) + " (" + pool + (conditions.empty() ? "" : "; " + conditions) + ")";
    }
};

// Per-frame scores of an encode.
struct FrameScores {
    std::string label, reference, distorted, filter, metric;
    std::string configuration; // the label without its quality value: encodes of one curve
    double fps = 0;
    std::map<std::string, Series> series;
    struct Map {
        std::string file, score;             // empty file: none
        int cell = 0, width = 0, height = 0; // the scored sizes
    } map;
    std::vector<std::pair<double, std::int64_t>> pieces; // start in seconds and number of frames; empty: from 0 on
    const Series &main() const { return series.at(metric); }
    double seconds_of(std::size_t frame) const; // in the source; negative: unknown
};

struct ReportData {
    std::vector<nlohmann::json> rows, failed, searches, ladders, plans;
    std::vector<Panel> panels;
    std::vector<Panel> more_panels; // other scores of the same rows
    std::vector<FrameScores> frames;
    std::vector<std::string> complaints; // unusable lines
};

// Reads files of any of these kinds. Throws Error for a file that cannot be read or has nothing to show. `edit` may
// change rows before curves are made.
using EditRows = std::function<void(std::vector<nlohmann::json> &rows)>;
ReportData read_report_data(const std::vector<std::string> &files, const EditRows &edit = {});
ReportData read_report_data(const std::string &name, std::istream &text); // from an open file

// The frames with the lowest scores, at least a quarter of a second apart, so that one bad moment is one entry.
// Excludes perfect frames.
std::vector<std::size_t> worst_frames(const FrameScores &scores, std::size_t count);

Series finite(const Series &values);   // without the others
std::string time_code(double seconds); // 0:04.92, 1:02:03.40
std::string short_name(const std::string &path);

} // namespace vmaf::tune
