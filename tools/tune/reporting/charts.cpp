#include "reporting/charts.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "adapters/adapter.hpp"
#include "curves/bd_rate.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

std::string numbered(const char *kind, std::size_t index) {
    return std::string(kind) + "-" + std::to_string(index + 1);
}

std::vector<RateScore> rate_scores(const Curve &curve) {
    std::vector<RateScore> points;
    for (const CurvePoint &p : curve.points) points.push_back({p.kbps, p.score});
    return points;
}

Chart rate_quality(const Panel &panel, const std::vector<double> &targets, std::size_t index) {
    Chart chart{"rate-quality", "Rate and quality: " + short_name(panel.src), "", {}, {}};
    Plot &plot = chart.plot;
    plot.id = numbered("rate-quality", index);
    plot.title = panel.score_name() + " over bitrate for " + panel.src;
    plot.x_label = "bitrate (kbps, logarithmic)";
    plot.y_label = panel.score_name();
    plot.log_x = true;
    chart.table = {
        plot.id + "-table", "", {"encoder", "preset", "options", "q", "bitrate_kbps", "score", "on_hull"}, {}};
    const auto on_hull = [&](const CurvePoint &p) {
        return std::any_of(panel.hull.begin(), panel.hull.end(),
                           [&](const RatePoint &h) { return h.kbps == p.kbps && h.score == p.score; });
    };
    int colour = 0;
    for (const Curve &curve : panel.curves) {
        PlotLine line{curve.name(), {}, PlotLine::Style::line, true, colour++};
        for (const CurvePoint &p : curve.points) {
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
    for (const double t : targets) plot.horizontal.push_back({t, "target " + number_text(t)});
    chart.caption = "The dashed hull joins the points that no mixture of others beats.";
    return chart;
}

Chart quality_curve(const Panel &panel, const std::vector<double> &targets, std::size_t index) {
    Chart chart{"quality", "Quality value and score: " + short_name(panel.src), "", {}, {}};
    Plot &plot = chart.plot;
    plot.id = numbered("quality", index);
    plot.title = panel.score_name() + " over the quality value for " + panel.src;
    plot.x_label = "quality value (CRF, QP, ...)";
    plot.y_label = panel.score_name();
    chart.table = {plot.id + "-table", "", {"encoder", "preset", "options", "q", "score"}, {}};
    int colour = 0;
    for (const Curve &curve : panel.curves) {
        PlotLine line{curve.name(), {}, PlotLine::Style::line, true, colour++};
        std::vector<CurvePoint> points = curve.points;
        std::sort(points.begin(), points.end(), [](const CurvePoint &a, const CurvePoint &b) { return a.q < b.q; });
        for (const CurvePoint &p : points) {
            line.points.push_back(
                {p.q, p.score, curve.name() + ", q " + number_text(p.q) + ": " + number_text(p.score)});
            chart.table.rows.push_back({curve.encoder, curve.preset, curve.details, {p.q, 2}, {p.score, 4}});
        }
        plot.lines.push_back(std::move(line));
    }
    for (const double t : targets) plot.horizontal.push_back({t, "target " + number_text(t)});
    return chart;
}

// Encode speed over bitrate at equal score: down-left costs, up-left wins.
std::optional<Chart> speed_chart(const Panel &panel, const std::vector<double> &targets, std::size_t index) {
    double low = -1e300, high = 1e300;
    std::vector<const Curve *> curves;
    for (const Curve &curve : panel.curves) {
        const auto rising = rising_points(rate_scores(curve));
        const bool timed =
            std::all_of(curve.points.begin(), curve.points.end(), [](const CurvePoint &p) { return p.encode_fps > 0; });
        if (rising.size() < 2 || !timed) continue;
        low = std::max(low, rising.front().score);
        high = std::min(high, rising.back().score);
        curves.push_back(&curve);
    }
    if (curves.size() < 2 || !(high > low)) return std::nullopt;
    double score = (low + high) / 2;
    for (const double t : targets)
        if (t >= low && t <= high) {
            score = t;
            break;
        }
    Chart chart{"speed", "Speed at equal quality: " + short_name(panel.src), "", {}, {}};
    Plot &plot = chart.plot;
    plot.id = numbered("speed", index);
    plot.title =
        "encode speed over bitrate at " + panel.score_name() + " " + fixed_text(score, 2) + " for " + panel.src;
    plot.x_label = "bitrate at " + panel.score_name() + " " + fixed_text(score, 2) + " (kbps, logarithmic)";
    plot.y_label = "encode speed (frames/s)";
    plot.log_x = true;
    chart.caption =
        "Interpolated at " + panel.score_name() + " " + fixed_text(score, 2) + ". Up and to the left is better.";
    chart.table = {plot.id + "-table", "", {"encoder", "preset", "options", "score", "bitrate_kbps", "encode_fps"}, {}};
    int colour = 0;
    for (const Curve &curve : panel.curves) {
        const int own = colour++;
        if (std::find(curves.begin(), curves.end(), &curve) == curves.end()) continue;
        std::vector<double> scores, rates, speeds;
        for (const RateScore &r : rising_points(rate_scores(curve))) {
            scores.push_back(r.score);
            rates.push_back(std::log(r.kbps));
            for (const CurvePoint &p : curve.points)
                if (p.kbps == r.kbps && p.score == r.score) {
                    speeds.push_back(std::log(p.encode_fps));
                    break;
                }
        }
        const double kbps = std::exp(MonotoneCubic(scores, rates)(score)),
                     fps = std::exp(MonotoneCubic(scores, speeds)(score));
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
    Chart chart{"search",
                "Search: " + short_name(text_in(search, "src")) + ", " + text_in(search, "encoder"),
                "Points are numbered in the order of measuring.",
                {},
                {}};
    Plot &plot = chart.plot;
    plot.id = numbered("search", index);
    plot.title = "path of the search for " + metric + " with " + text_in(search, "encoder");
    plot.x_label = text_in(search, "q_knob", "quality value");
    plot.y_label = metric == "vmaf" ? "VMAF" : metric;
    plot.numbered = true;
    PlotLine line{text_in(search, "encoder") + " " + text_in(search, "preset"), {}, PlotLine::Style::marks, true, 0};
    chart.table = {plot.id + "-table", "", {"probe", "q", "score", "bitrate_kbps"}, {}};
    for (const json &probe : list_in(search, "probes")) {
        const double q = number_in(probe, "q"), score = number_in(probe, "score");
        if (!std::isfinite(score)) continue;
        line.points.push_back({q, score, "q " + number_text(q) + ": " + number_text(score)});
        chart.table.rows.push_back(
            {{double(line.points.size()), 0}, {q, 2}, {score, 4}, {number_in(probe, "bitrate_kbps"), 1}});
    }
    plot.lines.push_back(std::move(line));
    if (std::isfinite(number_in(search, "target")))
        plot.horizontal.push_back({number_in(search, "target"), "target " + number_text(number_in(search, "target"))});
    return chart;
}

Chart frame_chart(const FrameScores &scores, const ReportData &data, std::size_t index) {
    Chart chart{"frames", "Frame by frame: " + scores.label, "", {}, {}, index};
    Plot &plot = chart.plot;
    plot.id = numbered("frames", index);
    plot.title = scores.metric + " of every frame of " + scores.label;
    plot.x_label = "frame";
    plot.y_label = scores.metric == "vmaf" ? "VMAF" : scores.metric;
    PlotLine line{plot.y_label, {}, PlotLine::Style::line, false, 0};
    chart.table = {plot.id + "-table", "", {"frame", "seconds"}, {}};
    for (const auto &[name, values] : scores.series) chart.table.columns.push_back(name);
    Series finite;
    for (std::size_t i = 0; i < scores.main().size(); i++) {
        const double v = scores.main()[i];
        std::vector<TableCell> cells = {{double(i), 0},
                                        {scores.seconds_of(i) < 0 ? std::nan("") : scores.seconds_of(i), 3}};
        for (const auto &[name, values] : scores.series)
            cells.push_back({i < values.size() ? values[i] : std::nan(""), 4});
        chart.table.rows.push_back(std::move(cells));
        if (!std::isfinite(v)) continue;
        finite.push_back(v);
        line.points.push_back({double(i), v, ""});
    }
    plot.lines.push_back(std::move(line));
    PlotLine worst{"worst frames", {}, PlotLine::Style::marks, true, 3};
    for (const std::size_t i : worst_frames(scores, 10))
        worst.points.push_back({double(i), scores.main()[i],
                                "frame " + std::to_string(i) + " (" + time_code(scores.seconds_of(i)) +
                                    "): " + number_text(scores.main()[i])});
    plot.lines.push_back(std::move(worst));
    if (!finite.empty())
        for (const char *percent : {"50", "5", "1"}) {
            const double at = pooled(finite, std::string("percentile=") + percent);
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
    Chart chart{"histogram", "Distribution: " + scores.label, "", {}, {}, index};
    Plot &plot = chart.plot;
    plot.id = numbered("histogram", index);
    plot.title = "how many frames of " + scores.label + " have which " + scores.metric;
    plot.x_label = scores.metric == "vmaf" ? "VMAF" : scores.metric;
    plot.y_label = "frames";
    Series finite;
    for (const double v : scores.main())
        if (std::isfinite(v)) finite.push_back(v);
    chart.table = {plot.id + "-table", "", {"from", "to", "frames"}, {}};
    PlotLine bars{"", {}, PlotLine::Style::bars, false, 0};
    if (!finite.empty()) {
        const auto [low_at, high_at] = std::minmax_element(finite.begin(), finite.end());
        const std::vector<double> ticks = linear_ticks(*low_at, std::max(*high_at, *low_at + 1e-6), 30);
        const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
        const double first = std::floor(*low_at / step);
        std::vector<int> counts(static_cast<std::size_t>(std::floor(*high_at / step) - first) + 1);
        for (const double v : finite) counts[static_cast<std::size_t>(std::floor(v / step) - first)]++;
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
    Chart chart{"ladder", "Ladder: " + short_name(text_in(ladder, "src")), "", {}, {}};
    Plot &plot = chart.plot;
    plot.id = numbered("ladder", index);
    plot.title = "rungs of the ladder";
    plot.x_label = "bitrate (kbps, logarithmic)";
    plot.y_label = "VMAF";
    plot.log_x = true;
    chart.table = {plot.id + "-table", "", {"width", "height", "q", "bitrate_kbps", "score"}, {}};
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
    Chart chart{"shots", "Quality value over time: " + short_name(text_in(plan, "src", "shots")), "", {}, {}};
    Plot &plot = chart.plot;
    plot.id = numbered("shots", index);
    plot.title = "quality value of each shot";
    plot.x_label = "frame";
    plot.y_label = "quality value";
    PlotLine line{text_in(plan, "encoder", "q"), {}, PlotLine::Style::line, false, 0};
    for (const json &shot : list_in(plan, "shots")) {
        const double q = number_in(shot, "crf");
        line.points.push_back({number_in(shot, "start_frame"), q, ""});
        line.points.push_back({number_in(shot, "end_frame"), q, ""});
    }
    plot.lines.push_back(std::move(line));
    chart.table = shot_tables({{}, {}, {}, {}, {plan}, {}, {}, {}, {}}).front();
    chart.table.id = plot.id + "-table";
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
