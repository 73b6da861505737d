#include "reporting/report_data.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "rows/configuration.hpp"
#include "rows/fields.hpp"
#include "rows/row.hpp"
#include "system/filesystem.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

constexpr double kMostFps = 100000;

constexpr int kMostPixels = 1 << 16; // per side

FrameScores::Map map_in(const json &object) {
    const json map = object_in(object, "map");
    const auto number = [&](const char *name) {
        const double value = number_in(map, name);
        return value >= 1 && value <= kMostPixels ? static_cast<int>(value) : 0;
    };
    FrameScores::Map found{text_in(map, "file"), text_in(map, "score"), number("cell"), number("width"),
                           number("height")};
    return found.cell && found.width && found.height ? found : FrameScores::Map{};
}

void add_frames(const json &object, ReportData &data) {
    FrameScores scores;
    scores.reference = text_in(object, "reference");
    if (scores.reference.empty()) scores.reference = text_in(object, "src");
    scores.distorted = text_in(object, "distorted");
    scores.filter = text_in(object, "reference_vfilter");
    const double fps = number_in(object, "framerate");
    scores.fps = fps > 0 && fps <= kMostFps ? fps : 0;
    const std::string encoder = text_in(object, "encoder");
    scores.label = encoder.empty() ? short_name(scores.distorted)
                                   : short_name(scores.reference) + " · " + encoder + " " + text_in(object, "preset") +
                                         " · " + number_text(number_in(object, "crf"));
    scores.configuration =
        scores.reference + "\n" + (encoder.empty() ? scores.distorted : encoder + " " + text_in(object, "preset"));
    std::vector<std::string> options;
    for (const json &option : list_in(object, "options"))
        if (option.is_string()) options.push_back(option.get<std::string>());
    if (!options.empty()) scores.label += " · " + shell_quoted(options);
    if (!options.empty()) scores.configuration += " " + shell_quoted(options);
    for (const auto &[name, values] : object["frames"].items()) {
        if (!values.is_array()) continue;
        Series &series = scores.series[name];
        for (const json &v : values) series.push_back(figure(v));
        if (series.empty()) scores.series.erase(name);
    }
    if (scores.series.empty()) return;
    scores.metric = text_in(object, "metric");
    if (!scores.series.contains(scores.metric))
        scores.metric = scores.series.contains("vmaf") ? "vmaf" : scores.series.begin()->first;
    scores.map = map_in(object);
    for (const json &piece : list_in(object, "pieces"))
        if (const double start = number_in(piece, "start_s"), frames = number_in(piece, "frames");
            start >= 0 && frames >= 0)
            scores.pieces.emplace_back(start, static_cast<std::int64_t>(frames));
    // A later document about the same encode replaces the earlier one.
    std::erase_if(data.frames, [&](const FrameScores &f) {
        return f.label == scores.label && f.reference == scores.reference && f.distorted == scores.distorted;
    });
    data.frames.push_back(std::move(scores));
}

// Adds an object, identified by its content; false: unknown kind.
bool add_object(const json &object, ReportData &data) {
    if (!object.is_object()) return false;
    const std::string type = text_in(object, "type");
    if (text_in(object, "schema").starts_with("vmaf-tune-ladder/"))
        data.ladders.push_back(object);
    else if (object.contains("segment_commands") && !list_in(object, "shots").empty())
        data.plans.push_back(object);
    else if (object.contains("frames") && object["frames"].is_object())
        add_frames(object, data);
    else if (type == "search-result")
        data.searches.push_back(object);
    else if (object.contains("encoder") && object.contains("crf") && type != "probe" && type != "encode-result")
        data.rows.push_back(object);
    else
        return type == "probe" || type == "encode-result" || type == "error";
    return true;
}

void read_file(const std::string &path, std::istream &file, ReportData &data) {
    const json whole = json_of(std::string(std::istreambuf_iterator<char>(file), {}));
    if (whole.is_array()) {
        for (const json &object : whole)
            if (!add_object(object, data)) data.complaints.push_back(path + ": skipped an entry that is not a row");
        return;
    }
    if (whole.is_object() && add_object(whole, data)) return;
    const auto complain = [&](const std::string &text) { data.complaints.push_back(text); };
    file.clear();
    file.seekg(0);
    for (const json &row : read_rows(path, file, complain))
        if (!add_object(row, data)) complain(path + ": skipped a line that is not a row");
}

// Scores made under different conditions are not compared.
using PanelKey = std::tuple<std::string, std::string, std::string, ScoreConditions>;
using PanelPoints = std::map<PanelKey, std::map<Configuration, std::map<double, RatePoint>>>;

std::vector<Panel> panels_of(const PanelPoints &grouped) {
    std::vector<Panel> panels;
    for (const auto &[key, curves] : grouped) {
        const auto &[src, metric, pool, conditions] = key;
        Panel panel{src, metric, pool, {}, {}, {}};
        const auto is_alike = [&panel](const auto &other) {
            const auto &[its_src, its_metric, its_pool, its_conditions] = other.first;
            return its_src == panel.src && its_metric == panel.metric && its_pool == panel.pool;
        };
        if (std::ranges::count_if(grouped, is_alike) > 1) panel.conditions = conditions.text();
        std::vector<RatePoint> all;
        std::vector<Configuration> configurations;
        for (const auto &[own, points] : curves) configurations.push_back(own);
        for (const auto &[own, points] : curves) {
            Curve curve{own.encoder, own.preset, own.details(configurations), {}};
            for (const auto &[q, point] : points) {
                curve.points.push_back(point);
                all.push_back(point);
            }
            std::ranges::sort(curve.points, {}, &RatePoint::kbps);
            panel.curves.push_back(std::move(curve));
        }
        panel.hull = upper_hull(all);
        panels.push_back(std::move(panel));
    }
    return panels;
}

void make_panels(ReportData &data) {
    PanelPoints grouped, more;
    for (const json &row : data.rows) {
        const bool has_score = row.contains("score") && row["score"].is_number();
        const double score = has_score ? number_in(row, "score") : number_in(row, "vmaf_score");
        const auto status = row.find("exit_status");
        if ((status != row.end() && status->is_number() && status->get<double>() != 0) || !std::isfinite(score)) {
            data.failed.push_back(row);
            continue;
        }
        const std::string metric = has_score && row.contains("metric") ? text_in(row, "metric") : "vmaf";
        const std::string pool = has_score && row.contains("pool") ? text_in(row, "pool") : "mean";
        const double q = number_in(row, "crf"), kbps = number_in(row, "bitrate_kbps");
        if (!(kbps > 0) || std::isnan(q)) continue;
        const double fps = number_in(row, "encode_fps");
        const Configuration own = configuration_of(row);
        const auto add = [&](PanelPoints &to, const std::string &name, const std::string &how, double value) {
            if (std::isfinite(value))
                to[{text_in(row, "src"), name, how, conditions_of(row, name)}][own][q] = {
                    kbps, value, 0, 0, q, std::isfinite(fps) ? fps : 0};
        };
        add(grouped, metric, pool, score);
        for (const auto &[name, statistics] : object_in(row, "scores").items())
            for (const char *how : {"mean", "p5", "min"})
                if (statistics.is_object() && (name != metric || how != pool))
                    add(more, name, how, number_in(statistics, how));
    }
    data.panels = panels_of(grouped);
    data.more_panels = panels_of(more);
}

void finish(ReportData &data) {
    if (data.rows.empty() && data.frames.empty() && data.searches.empty() && data.ladders.empty() && data.plans.empty())
        throw invalid(
            "there is nothing to report: none of the files has rows, frame scores, searches, ladders or plans");
    make_panels(data);
    const auto unstated = std::ranges::count_if(
        data.rows, [](const json &row) { return number_in(row, "schema_version") >= 4 && !states_conditions(row); });
    if (unstated > 0) data.complaints.push_back(unstated_text(static_cast<std::size_t>(unstated)));
}

} // namespace

double FrameScores::seconds_of(std::size_t frame) const {
    if (!(fps > 0)) return -1;
    auto left = static_cast<std::int64_t>(frame);
    for (const auto &[start, frames] : pieces) {
        if (left < frames) return start + double(left) / fps;
        left -= frames;
    }
    return double(frame) / fps;
}

ReportData read_report_data(const std::vector<std::string> &files, const EditRows &edit) {
    ReportData data;
    for (const std::string &path : files) {
        system::fs::ifstream file(path, std::ios::binary);
        if (!file) throw invalid("'" + path + "' cannot be read");
        read_file(path, file, data);
    }
    if (edit) edit(data.rows);
    finish(data);
    return data;
}

ReportData read_report_data(const std::string &name, std::istream &text) {
    ReportData data;
    read_file(name, text, data);
    finish(data);
    return data;
}

std::vector<std::size_t> worst_frames(const FrameScores &scores, std::size_t count) {
    const Series &values = scores.main();
    const auto choice = metric_choice(scores.metric);
    const bool lower_is_better = choice && choice->lower_is_better;
    const double perfect = scores.metric.starts_with("vmaf") || scores.metric == "ssimulacra2"
                               ? 99.99
                               : std::numeric_limits<double>::infinity();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < values.size(); i++)
        if (std::isfinite(values[i]) && values[i] < perfect) order.push_back(i);
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return lower_is_better ? values[a] > values[b] : values[a] < values[b];
    });
    const std::size_t gap = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(scores.fps / 4)));
    std::vector<std::size_t> worst;
    for (const std::size_t i : order) {
        if (worst.size() >= count) break;
        if (std::ranges::all_of(worst, [&](std::size_t w) { return (w > i ? w - i : i - w) >= gap; }))
            worst.push_back(i);
    }
    return worst;
}

Series finite(const Series &values) {
    Series result = values;
    std::erase_if(result, [](double v) { return !std::isfinite(v); });
    return result;
}

std::string time_code(double seconds) {
    if (seconds < 0) return "–";
    const auto hundredths = static_cast<long long>(std::llround(seconds * 100));
    char text[48];
    if (hundredths >= 360000)
        std::snprintf(text, sizeof text, "%lld:%02lld:%02lld.%02lld", hundredths / 360000, hundredths / 6000 % 60,
                      hundredths / 100 % 60, hundredths % 100);
    else
        std::snprintf(text, sizeof text, "%lld:%02lld.%02lld", hundredths / 6000, hundredths / 100 % 60,
                      hundredths % 100);
    return text;
}

std::string short_name(const std::string &path) { return system::fs::path(path).filename().string(); }

} // namespace vmaf::tune
