#include "commands/shot_plan.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/error.hpp"

namespace vmaf::tune {

using nlohmann::json;

std::vector<Zone> parse_zones(const std::string &text, std::int64_t frames) {
    std::vector<Zone> zones;
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        number++;
        line.resize(std::min(line.find('#'), line.size()));
        std::istringstream words(line);
        std::string word;
        if (!(words >> word)) continue;
        const auto bad = [&](const std::string &why) {
            return invalid("line " + std::to_string(number) + " of the zones: " + why);
        };
        const auto integer = [&](const std::string &t) {
            char *end = nullptr;
            const long long value = std::strtoll(t.c_str(), &end, 10);
            if (*end || end == t.c_str()) throw bad("'" + t + "' is not a frame number");
            return static_cast<std::int64_t>(value);
        };
        Zone zone;
        zone.range.start = integer(word);
        if (!(words >> word)) throw bad("the end is missing");
        zone.range.end = integer(word);
        if (zone.range.end < 0 || zone.range.end > frames) zone.range.end = frames;
        if (zone.range.start < 0 || zone.range.start >= zone.range.end) throw bad("it is empty");
        while (words >> word) {
            const std::size_t equals = word.find('=');
            const std::string key = word.substr(0, equals);
            if (equals == std::string::npos) {
                zone.encoder = word;
                continue;
            }
            const std::string value = word.substr(equals + 1);
            char *end = nullptr;
            const double amount = std::strtod(value.c_str(), &end);
            const bool is_number = end != value.c_str() && *end == 0;
            if (key == "preset")
                zone.preset = value;
            else if (!is_number)
                throw bad("'" + word + "': the value is not a number");
            else if (key == "target" || key == "target-vmaf")
                zone.target = amount;
            else if (key == "crf" || key == "q")
                zone.q = amount;
            else
                throw bad("'" + key + "' is not known; use target=, crf= or preset=");
        }
        if (!zones.empty() && zone.range.start < zones.back().range.end)
            throw bad("it overlaps the previous one; write zones in order");
        zones.push_back(zone);
    }
    return zones;
}

// Slightly before the first frame: many containers round time stamps to milliseconds.
Window window_of(const Shot &shot, const Source &source, const std::vector<double> &times) {
    constexpr double kEarly = 0.002;
    const auto first = static_cast<std::size_t>(shot.start);
    const double start = first < times.size() ? times[first] : double(shot.start) / source.rate.value();
    return {std::max(0.0, std::round((start - kEarly) * 1e6) / 1e6), shot.frames()};
}

double seconds_of(const Shot &shot, const Source &source, const std::vector<double> &times) {
    const auto first = static_cast<std::size_t>(shot.start), next = static_cast<std::size_t>(shot.end);
    if (next < times.size()) return times[next] - times[first];
    const double rate = source.rate.value();
    if (next == times.size() && first + 1 < next) // the last frame's duration is unknown
        return times.back() - times[first] + 1 / rate;
    return double(shot.frames()) / rate;
}

ProbeSetup shot_setup(ProbeSetup setup, const Shot &shot, const std::vector<double> &times) {
    const double rate = setup.source.rate.value(), seconds = seconds_of(shot, setup.source, times);
    setup.samples = {{setup.source, window_of(shot, setup.source, times), double(shot.start) / rate, seconds}};
    setup.clip_mode = "shot";
    setup.source.duration = seconds;
    return setup;
}

std::vector<PlannedShot> cut_at_zones(const std::vector<Shot> &shots, const std::vector<Zone> &zones) {
    std::set<std::int64_t> cuts;
    for (const Zone &zone : zones) cuts.insert({zone.range.start, zone.range.end});
    std::vector<PlannedShot> planned;
    for (const Shot &shot : shots) {
        std::vector<std::int64_t> edges = {shot.start};
        for (const std::int64_t cut : cuts)
            if (cut > shot.start && cut < shot.end) edges.push_back(cut);
        edges.push_back(shot.end);
        for (std::size_t i = 0; i + 1 < edges.size(); i++) {
            PlannedShot part;
            part.shot = {edges[i], edges[i + 1]};
            for (std::size_t z = 0; z < zones.size(); z++)
                if (part.shot.start >= zones[z].range.start && part.shot.end <= zones[z].range.end) part.zone = z;
            planned.push_back(part);
        }
    }
    return planned;
}

std::vector<double> smoothed(std::vector<double> q, const std::vector<bool> &is_fixed, double step,
                             bool higher_is_better) {
    const double sign = higher_is_better ? -1 : 1;
    const auto limit = [&](std::size_t i, std::size_t neighbour) {
        if (is_fixed[i] || is_fixed[neighbour]) return;
        q[i] = sign * std::min(sign * q[i], sign * q[neighbour] + step);
    };
    for (std::size_t i = 1; i < q.size(); i++) limit(i, i - 1);
    for (std::size_t i = q.size(); i-- > 1;) limit(i - 1, i);
    return q;
}

void take_row(PlannedShot &planned, const json &row) {
    planned.q = row.at("q");
    planned.probes += row.at("probes").get<std::size_t>();
    planned.outcome = outcome_of_row(row.value("status", 0), row.value("error", ""));
    planned.is_measured = planned.outcome.ok();
    planned.is_met = row.value("met", planned.is_met);
    planned.score = row.value("score", planned.score);
    planned.kbps = row.value("kbps", planned.kbps);
}

double bits_of(const std::vector<PlannedShot> &shots) {
    double sum = 0;
    for (const PlannedShot &p : shots) sum += p.kbps * p.seconds;
    return sum;
}

json shots_json(const std::vector<PlannedShot> &shots) {
    json list = json::array();
    for (const PlannedShot &p : shots) {
        json shot = {{"start_frame", p.shot.start}, {"end_frame", p.shot.end}, {"crf", p.q},
                     {"predicted_vmaf", p.score},   {"bitrate_kbps", p.kbps},  {"probes", p.probes},
                     {"measured", p.is_measured},   {"met", p.is_met},         {"smoothed", p.is_smoothed}};
        if (!p.outcome.ok()) shot["error"] = p.outcome.sentence;
        list.push_back(shot);
    }
    return list;
}

json totals_json(const std::vector<PlannedShot> &shots) {
    double bits = 0, seconds = 0;
    std::size_t probes = 0;
    for (const PlannedShot &p : shots) {
        bits += p.kbps * 1000 * p.seconds;
        seconds += p.seconds;
        probes += p.probes;
    }
    return {{"frames", shots.back().shot.end},
            {"duration_s", seconds},
            {"bitrate_kbps", seconds > 0 ? bits / 1000 / seconds : 0},
            {"predicted_size_bytes", std::round(bits / 8)},
            {"probes", probes}};
}

} // namespace vmaf::tune
