#include "reporting/charts.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/lists.hpp"
#include "curves/bd_rate.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

struct Axes {
    std::string x, y;
    bool log_x = false;
};

Chart start_chart(const char *kind, std::size_t index, const std::string &heading, const std::string &title,
                  const Axes &axes, std::vector<std::string> columns) {
    const std::string id = std::string(kind) + "-" + std::to_string(index + 1);
    return {kind, heading, "", {id, title, axes.x, axes.y, axes.log_x}, {id + "-table", "", std::move(columns), {}},
            index};
}

std::string shown_name(const std::string &metric) { return metric == "vmaf" ? "VMAF" : metric; }

void mark_targets(Plot &plot, const std::vector<double> &targets) {
    for (const double t : targets) plot.horizontal.push_back({t, "target " + number_text(t)});
}

Chart rate_quality(const Panel &panel, const std::vector<double> &targets, std::size_t index) {
    Chart chart = start_chart("rate-quality", index, "Rate and quality: " + short_name(panel.src),
                              panel.score_name() + " over bitrate for " + panel.src,
                              {"bitrate (kbps, logarithmic)", panel.score_name(), true},
                              {"encoder", "preset", "options", "q", "bitrate_kbps", "score", "on_hull"});
    Plot &plot = chart.plot;
    const auto on_hull = [&](const RatePoint &p) {
        return std::ranges::any_of(panel.hull,
                                   [&](const RatePoint &h) { return h.kbps == p.kbps && h.score == p.score; });
    };
    int colour = 0;
    for (const Curve &curve : panel.curves) {
        PlotLine line{curve.name(), {}, PlotLine::Style::line, true, colour++};
        for (const RatePoint &p : curve.points) {
            line.points.push_back({p.kbps, p.score,
                                   curve.name() + ", q " + number_text(p.q) + ": " + panel.metric + " " +
                                       number_text(p.score) + " at " + number_text(p.kbps) + " kbps"});
            chart.table.rows.push_back({curve.encoder,
                                        curve.preset,
                                        curve.details,
                                        {p.q, 2},
                                        {p.kbps, 1},
                                        {p.score, 4},
                                        on_hull(p) ? "yes" : "no"});
        }
        plot.lines.push_back(std::move(line));
    }
    if (panel.hull.size() > 1) {
        PlotLine hull{"hull", {}, PlotLine::Style::dashed, false, -1};
        for (const RatePoint &p : panel.hull) hull.points.push_back({p.kbps, p.score, ""});
        plot.lines.push_back(std::move(hull));
    }
    mark_targets(plot, targets);
    chart.caption = "The dashed hull joins the points that no mixture of others beats.";
    return chart;
}

Chart quality_curve(const Panel &panel, const std::vector<double> &targets, std::size_t index) {
    Chart chart = start_chart("quality", index, "Quality value and score: " + short_name(panel.src),
                              panel.score_name() + " over the quality value for " + panel.src,
                              {"quality value (CRF, QP, ...)", panel.score_name()},
                              {"encoder", "preset", "options", "q", "score"});
    Plot &plot = chart.plot;
    int colour = 0;
    for (const Curve &curve : panel.curves) {
        PlotLine line{curve.name(), {}, PlotLine::Style::line, true, colour++};
        std::vector<RatePoint> points = curve.points;
        std::ranges::sort(points, {}, &RatePoint::q);
        for (const RatePoint &p : points) {
            line.points.push_back(
                {p.q, p.score, curve.name() + ", q " + number_text(p.q) + ": " + number_text(p.score)});
            chart.table.rows.push_back({curve.encoder, curve.preset, curve.details, {p.q, 2}, {p.score, 4}});
        }
        plot.lines.push_back(std::move(line));
    }
    mark_targets(plot, targets);
    return chart;
}

// Encode speed over bitrate at equal score: down-left costs, up-left wins.
std::optional<Chart> speed_chart(const Panel &panel, const std::vector<double> &targets, std::size_t index) {
    double low = -1e300, high = 1e300;
    std::vector<const Curve *> curves;
    for (const Curve &curve : panel.curves) {
        const auto sorted = rising(curve.points);
        const bool timed = std::ranges::all_of(curve.points, [](const RatePoint &p) { return p.encode_fps > 0; });
        if (sorted.size() < 2 || !timed) continue;
        low = std::max(low, sorted.front().score);
        high = std::min(high, sorted.back().score);
        curves.push_back(&curve);
    }
    if (curves.size() < 2 || !(high > low)) return std::nullopt;
    double score = (low + high) / 2;
    for (const double t : targets)
        if (t >= low && t <= high) {
            score = t;
            break;
        }
    const std::string at = panel.score_name() + " " + fixed_text(score, 2);
    Chart chart = start_chart("speed", index, "Speed at equal quality: " + short_name(panel.src),
                              "encode speed over bitrate at " + at + " for " + panel.src,
                              {"bitrate at " + at + " (kbps, logarithmic)", "encode speed (frames/s)", true},
                              {"encoder", "preset", "options", "score", "bitrate_kbps", "encode_fps"});
    Plot &plot = chart.plot;
    chart.caption = "Interpolated at " + at + ". Up and to the left is better.";
    int colour = 0;
    for (const Curve &curve : panel.curves) {
        const int own = colour++;
        if (!contains(curves, &curve)) continue;
        const std::vector<RatePoint> sorted = rising(curve.points);
        const double kbps = std::exp(over_score(sorted, [](const RatePoint &p) { return std::log(p.kbps); })(score)),
                     fps =
                         std::exp(over_score(sorted, [](const RatePoint &p) { return std::log(p.encode_fps); })(score));
        plot.lines.push_back(
            {curve.name(),
             {{kbps, fps, curve.name() + ": " + number_text(fps) + " frames/s at " + number_text(kbps) + " kbps"}},
             PlotLine::Style::marks,
             true,
             own});
        chart.table.rows.push_back({curve.encoder, curve.preset, curve.details, {score, 2}, {kbps, 1}, {fps, 2}});
    }
    return chart;
}

Chart search_chart(const json &search, std::size_t index) {
    const std::string metric = text_in(search, "metric", "vmaf");
    Chart chart = start_chart(
        "search", index, "Search: " + short_name(text_in(search, "src")) + ", " + text_in(search, "encoder"),
        "path of the search for " + metric + " with " + text_in(search, "encoder"),
        {text_in(search, "q_knob", "quality value"), shown_name(metric)}, {"probe", "q", "score", "bitrate_kbps"});
    chart.caption = "Points are numbered in the order of measuring.";
    Plot &plot = chart.plot;
    plot.numbered = true;
    PlotLine line{text_in(search, "encoder") + " " + text_in(search, "preset"), {}, PlotLine::Style::marks, true, 0};
    for (const json &probe : list_in(search, "probes")) {
        const double q = number_in(probe, "q"), score = number_in(probe, "score");
        if (!std::isfinite(score)) continue;
        line.points.push_back({q, score, "q " + number_text(q) + ": " + number_text(score)});
        chart.table.rows.push_back(
            {{double(line.points.size()), 0}, {q, 2}, {score, 4}, {number_in(probe, "bitrate_kbps"), 1}});
    }
    plot.lines.push_back(std::move(line));
    if (const double target = number_in(search, "target"); std::isfinite(target)) mark_targets(plot, {target});
    return chart;
}

Chart frame_chart(const FrameScores &scores, const ReportData &data, std::size_t index) {
    Chart chart = start_chart("frames", index, "Frame by frame: " + scores.label,
                              scores.metric + " of every frame of " + scores.label,
                              {"frame", shown_name(scores.metric)}, {"frame", "seconds"});
    Plot &plot = chart.plot;
    PlotLine line{plot.y_label, {}, PlotLine::Style::line, false, 0};
    for (const auto &[name, values] : scores.series) chart.table.columns.push_back(name);
    for (std::size_t i = 0; i < scores.main().size(); i++) {
        const double v = scores.main()[i];
        std::vector<TableCell> cells = {{double(i), 0},
                                        {scores.seconds_of(i) < 0 ? std::nan("") : scores.seconds_of(i), 3}};
        for (const auto &[name, values] : scores.series)
            cells.push_back({i < values.size() ? values[i] : std::nan(""), 4});
        chart.table.rows.push_back(std::move(cells));
        if (std::isfinite(v)) line.points.push_back({double(i), v, ""});
    }
    plot.lines.push_back(std::move(line));
    PlotLine worst{"worst frames", {}, PlotLine::Style::marks, true, 3};
    for (const std::size_t i : worst_frames(scores, 10))
        worst.points.push_back({double(i), scores.main()[i],
                                "frame " + std::to_string(i) + " (" + time_code(scores.seconds_of(i)) +
                                    "): " + number_text(scores.main()[i])});
    plot.lines.push_back(std::move(worst));
    if (const Series values = finite(scores.main()); !values.empty())
        for (const char *percent : {"50", "5", "1"}) {
            const double at = pooled(values, std::string("percentile=") + percent);
            plot.horizontal.push_back({at, std::string(percent) + " % below " + fixed_text(at, 2)});
        }
    for (const json &plan : data.plans)
        if (text_in(plan, "src") == scores.reference)
            for (const json &shot : list_in(plan, "shots"))
                if (const double start = number_in(shot, "start_frame"); start > 0)
                    plot.vertical.push_back({start, "a shot begins at frame " + number_text(start)});
    return chart;
}

Chart histogram(const FrameScores &scores, std::size_t index) {
    Chart chart = start_chart("histogram", index, "Distribution: " + scores.label,
                              "how many frames of " + scores.label + " have which " + scores.metric,
                              {shown_name(scores.metric), "frames"}, {"from", "to", "frames"});
    Plot &plot = chart.plot;
    const Series values = finite(scores.main());
    PlotLine bars{"", {}, PlotLine::Style::bars, false, 0};
    if (!values.empty()) {
        const auto [low_at, high_at] = std::ranges::minmax_element(values);
        const std::vector<double> ticks = linear_ticks(*low_at, std::max(*high_at, *low_at + 1e-6), 30);
        const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
        const double first = std::floor(*low_at / step);
        std::vector<int> counts(static_cast<std::size_t>(std::floor(*high_at / step) - first) + 1);
        for (const double v : values) counts[static_cast<std::size_t>(std::floor(v / step) - first)]++;
        for (std::size_t i = 0; i < counts.size(); i++) {
            const double from = (first + double(i)) * step;
            bars.points.push_back({from + step / 2, double(counts[i]),
                                   fixed_text(from, 3) + " to " + fixed_text(from + step, 3) + ": " +
                                       std::to_string(counts[i]) + " frames"});
            chart.table.rows.push_back({{from, 3}, {from + step, 3}, {double(counts[i]), 0}});
        }
    }
    plot.lines.push_back(std::move(bars));
    return chart;
}

Chart ladder_chart(const json &ladder, std::size_t index) {
    Chart chart =
        start_chart("ladder", index, "Ladder: " + short_name(text_in(ladder, "src")), "rungs of the ladder",
                    {"bitrate (kbps, logarithmic)", "VMAF", true}, {"width", "height", "q", "bitrate_kbps", "score"});
    Plot &plot = chart.plot;
    std::map<std::string, std::size_t> line_of;
    for (const json &rung : list_in(ladder, "renditions")) {
        const double w = number_in(rung, "width"), h = number_in(rung, "height"),
                     kbps = number_in(rung, "bitrate_kbps"), score = number_in(rung, "vmaf"),
                     q = number_in(rung, "crf");
        if (!(kbps > 0) || !std::isfinite(score)) continue;
        const std::string size = number_text(w) + "x" + number_text(h);
        const auto [at, fresh] = line_of.try_emplace(size, plot.lines.size());
        if (fresh) plot.lines.push_back({size, {}, PlotLine::Style::marks, true, static_cast<int>(at->second)});
        plot.lines[at->second].points.push_back(
            {kbps, score,
             size + ", q " + number_text(q) + ": " + number_text(score) + " at " + number_text(kbps) + " kbps"});
        chart.table.rows.push_back({{w, 0}, {h, 0}, {q, 2}, {kbps, 1}, {score, 4}});
    }
    return chart;
}

Chart shots_chart(const json &plan, std::size_t index) {
    Chart chart = start_chart("shots", index, "Quality value over time: " + short_name(text_in(plan, "src", "shots")),
                              "quality value of each shot", {"frame", "quality value"}, {});
    Plot &plot = chart.plot;
    PlotLine line{text_in(plan, "encoder", "q"), {}, PlotLine::Style::line, false, 0};
    for (const json &shot : list_in(plan, "shots")) {
        const double q = number_in(shot, "crf");
        line.points.push_back({number_in(shot, "start_frame"), q, ""});
        line.points.push_back({number_in(shot, "end_frame"), q, ""});
    }
    plot.lines.push_back(std::move(line));
    chart.table = shot_table(plan, plot.id + "-table");
    return chart;
}

} // namespace

const std::vector<std::string> &chart_kinds() {
    static const std::vector<std::string> kinds = {"rate-quality", "quality",   "speed",  "search",
                                                   "frames",       "histogram", "ladder", "shots"};
    return kinds;
}

std::vector<Chart> panel_charts(const Panel &panel, const std::vector<double> &targets, std::size_t index) {
    std::vector<Chart> charts = {rate_quality(panel, targets, index), quality_curve(panel, targets, index)};
    if (auto chart = speed_chart(panel, targets, index)) charts.push_back(std::move(*chart));
    return charts;
}

std::vector<Chart> make_charts(const ReportData &data, const std::vector<double> &targets) {
    std::vector<Chart> charts;
    for (std::size_t i = 0; i < data.panels.size(); i++) charts.push_back(rate_quality(data.panels[i], targets, i));
    for (std::size_t i = 0; i < data.panels.size(); i++) charts.push_back(quality_curve(data.panels[i], targets, i));
    for (std::size_t i = 0; i < data.panels.size(); i++)
        if (auto chart = speed_chart(data.panels[i], targets, i)) charts.push_back(std::move(*chart));
    for (std::size_t i = 0; i < data.searches.size(); i++) charts.push_back(search_chart(data.searches[i], i));
    for (std::size_t i = 0; i < data.frames.size(); i++) {
        charts.push_back(frame_chart(data.frames[i], data, i));
        charts.push_back(histogram(data.frames[i], i));
    }
    for (std::size_t i = 0; i < data.ladders.size(); i++) charts.push_back(ladder_chart(data.ladders[i], i));
    for (std::size_t i = 0; i < data.plans.size(); i++) charts.push_back(shots_chart(data.plans[i], i));
    return charts;
}

} // namespace vmaf::tune
