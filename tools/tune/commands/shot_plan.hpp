// The shots and the wishes for each (tune.md 12.7).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "stages/probe.hpp"
#include "stages/shots.hpp"

namespace vmaf::tune {

// A part of the video with its own target, quality or preset.
struct Zone {
    Shot range;
    std::optional<double> target, q;
    std::string encoder, preset;
};

// Parses lines `start end [encoder] key=value...` with target, crf (or q) and preset; end -1 is the end of the video.
// Throws Error with the line number.
std::vector<Zone> parse_zones(const std::string &text, std::int64_t frames);

struct PlannedShot {
    Shot shot;
    std::optional<std::size_t> zone;
    std::string preset; // of its zone; empty: the common one
    double q = 0, score = 0, kbps = 0;
    double seconds = 0; // display duration
    std::size_t probes = 0;
    bool is_met = true, is_measured = true, is_smoothed = false;
    Outcome outcome; // of its probes
};

// The location of a shot; `times` has those of all frames, or is empty if unknown.
Window window_of(const Shot &shot, const Source &source, const std::vector<double> &times);
double seconds_of(const Shot &shot, const Source &source, const std::vector<double> &times); // display duration
// A probe of one shot alone.
ProbeSetup shot_setup(ProbeSetup whole, const Shot &shot, const std::vector<double> &times);

// Shots, cut at zone boundaries.
std::vector<PlannedShot> cut_at_zones(const std::vector<Shot> &shots, const std::vector<Zone> &zones);

// Neighbours may differ by at most `step`: those too far below get better quality, never worse. `is_fixed` ones stay
// and constrain no others.
std::vector<double> smoothed(std::vector<double> q, const std::vector<bool> &is_fixed, double step,
                             bool higher_is_better);

void take_row(PlannedShot &planned, const nlohmann::json &row); // the result of its search or probe
double bits_of(const std::vector<PlannedShot> &shots);          // in thousands
// The plan's list of shots, with totals.
nlohmann::json shots_json(const std::vector<PlannedShot> &shots);
nlohmann::json totals_json(const std::vector<PlannedShot> &shots);

} // namespace vmaf::tune
