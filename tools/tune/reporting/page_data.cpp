#include "reporting/page_data.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/lists.hpp"
#include "report/escape.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

const char *style_name(PlotLine::Style style) {
    switch (style) {
    case PlotLine::Style::dashed: return "dashed";
    case PlotLine::Style::marks: return "marks";
    case PlotLine::Style::bars: return "bars";
    default: return "line";
    }
}

json plot_json(const Chart &chart) {
    const Plot &plot = chart.plot;
    json lines = json::array(), across = json::array(), down = json::array();
    for (const PlotLine &line : plot.lines) {
        json points = json::array();
        for (const PlotPoint &p : line.points)
            points.push_back(p.note.empty() ? json{p.x, p.y} : json{p.x, p.y, p.note});
        lines.push_back({{"name", line.name},
                         {"style", style_name(line.style)},
                         {"marks", line.marks},
                         {"colour", line.colour},
                         {"points", std::move(points)}});
    }
    for (const PlotRule &rule : plot.horizontal) across.push_back({rule.at, rule.label});
    for (const PlotRule &rule : plot.vertical) down.push_back({rule.at, rule.label});
    return {{"id", plot.id},
            {"kind", chart.kind},
            {"heading", chart.heading},
            {"caption", chart.caption},
            {"title", plot.title},
            {"x", plot.x_label},
            {"y", plot.y_label},
            {"log", plot.log_x},
            {"numbered", plot.numbered},
            {"lines", std::move(lines)},
            {"across", std::move(across)},
            {"down", std::move(down)},
            {"table", csv_text(chart.table)}};
}

json heat_json(const HeatMap &heat) {
    json grids = json::object(), worst = json::array();
    for (const auto &[frame, cells] : heat.grids) grids[std::to_string(frame)] = base64(cells);
    for (const double v : heat.worst)
        worst.push_back(std::isfinite(v) ? json(std::round(v * 10) / 10) : json(nullptr)); // one decimal is visible
    return {{"score", heat.score},      {"x", heat.x}, {"y", heat.y}, {"worst", worst}, {"worst_cell", heat.worst_cell},
            {"grids", std::move(grids)}};
}

json frames_of(const FrameScores &scores) {
    constexpr double kDigits = 1e4; // more would not be visible
    json series = json::object();
    for (const auto &[name, values] : scores.series) {
        json list = json::array();
        for (const double v : values)
            list.push_back(std::isfinite(v) ? json(std::round(v * kDigits) / kDigits) : json(nullptr));
        series[name] = std::move(list);
    }
    return {{"label", scores.label}, {"metric", scores.metric}, {"fps", scores.fps}, {"series", std::move(series)}};
}

json winners(const ScoreView &view, const std::vector<std::string> &sources) {
    json said = json::array();
    for (const std::string &src : sources) {
        std::string text;
        if (view.verdict)
            for (const SourceVerdict &own : view.verdict->sources)
                if (own.src == src && !own.winner.empty())
                    text = own.winner + (own.saving && std::fabs(*own.saving) >= 0.05
                                             ? ", " + fixed_text(*own.saving, 1) + " % less"
                                             : "");
        said.push_back(text);
    }
    return said;
}

double mean_score(const FrameScores &scores) {
    const Series values = finite(scores.main());
    return values.empty() ? std::nan("") : pooled(values, "mean");
}

} // namespace

std::vector<std::size_t> encodes_near(const ReportData &data, double target, std::size_t most) {
    // The closest encode per source and configuration; then the closest of all.
    std::map<std::string, std::pair<double, std::size_t>> nearest;
    for (std::size_t i = 0; i < data.frames.size(); i++) {
        const double away = std::fabs(mean_score(data.frames[i]) - target);
        if (!std::isfinite(away)) continue;
        const auto [at, is_new] = nearest.try_emplace(data.frames[i].configuration, away, i);
        if (!is_new && away < at->second.first) at->second = {away, i};
    }
    std::vector<std::pair<double, std::size_t>> ordered;
    for (const auto &[name, entry] : nearest) ordered.push_back(entry);
    std::ranges::sort(ordered);
    if (ordered.size() > most) ordered.resize(most);
    std::vector<std::size_t> chosen;
    for (const auto &[away, i] : ordered) chosen.push_back(i);
    std::ranges::sort(chosen);
    return chosen;
}

double target_of(const ReportData &data, const std::vector<double> &targets, const std::string &baseline) {
    const auto groups = panels_by_score(data.panels);
    if (!groups.empty())
        if (const auto verdict = find_verdict(groups.front(), targets, baseline)) return verdict->target;
    return targets.empty() ? 93 : targets.front();
}

PageModel make_model(const ReportContent &content) {
    const ReportData &data = content.data;
    PageModel model;
    for (const std::vector<Panel> *panels : {&data.panels, &data.more_panels})
        for (std::vector<const Panel *> &group : panels_by_score(*panels)) {
            const std::string name = group.front()->score_name();
            auto verdict = find_verdict(group, content.targets, content.baseline);
            model.scores.push_back({name, std::move(group), std::move(verdict)});
        }
    for (const ScoreView &view : model.scores)
        for (const Panel *panel : view.panels)
            if (!contains(model.sources, panel->src)) model.sources.push_back(panel->src);
    std::size_t number = 0;
    for (std::size_t score = 0; score < model.scores.size(); score++)
        for (const Panel *panel : model.scores[score].panels) {
            const auto source =
                static_cast<std::size_t>(std::ranges::find(model.sources, panel->src) - model.sources.begin());
            std::vector<double> targets = content.targets;
            if (targets.empty() && model.scores[score].verdict) targets = {model.scores[score].verdict->target};
            if (score > 0 && model.scores[score].verdict && !model.scores[score].verdict->is_given)
                targets = {model.scores[score].verdict->target};
            for (Chart &chart : panel_charts(*panel, targets, number++)) {
                model.curves.push_back(std::move(chart));
                model.curve_places.push_back({score, source});
            }
        }
    model.encodes = encodes_near(data, target_of(data, content.targets, content.baseline), kShownEncodes);
    for (const Chart &chart : content.charts) {
        if (chart.kind == "search" || chart.kind == "ladder" || chart.kind == "shots") model.others.push_back(&chart);
        if (chart.kind == "histogram") model.histograms.push_back(&chart);
    }
    return model;
}

std::size_t plot_number(const PageModel &model, const Chart *chart) {
    const auto other = std::ranges::find(model.others, chart);
    if (other != model.others.end())
        return model.curves.size() + static_cast<std::size_t>(other - model.others.begin());
    const auto own = std::ranges::find(model.histograms, chart);
    return model.curves.size() + model.others.size() + static_cast<std::size_t>(own - model.histograms.begin());
}

std::string page_data(const ReportContent &content, const PageModel &model) {
    json plots = json::array();
    for (std::size_t i = 0; i < model.curves.size(); i++) {
        json plot = plot_json(model.curves[i]);
        plot["source"] = model.curve_places[i].source;
        plot["metric"] = model.curve_places[i].score;
        plots.push_back(std::move(plot));
    }
    for (const auto *charts : {&model.others, &model.histograms})
        for (const Chart *chart : *charts) plots.push_back(plot_json(*chart));
    json names = json::array(), won = json::array(), frames = json::array(), pictures = json::array();
    for (const std::string &src : model.sources) names.push_back(short_name(src));
    for (const ScoreView &view : model.scores) won.push_back(winners(view, model.sources));
    for (const FrameScores &scores : content.data.frames) frames.push_back(frames_of(scores));
    for (std::size_t i = 0; i < content.pictures.size(); i++)
        if (content.pictures[i].heat) frames[i]["heat"] = heat_json(*content.pictures[i].heat);
    for (const std::size_t i : model.encodes)
        if (i < content.pictures.size())
            for (const Thumbnail &t : content.pictures[i].thumbnails)
                pictures.push_back({{"image", "data:image/jpeg;base64," + base64(t.jpeg)},
                                    {"encode", i},
                                    {"frame", t.frame},
                                    {"width", t.pane_width},
                                    {"height", t.pane_height}});
    const json all = {
        {"targets", content.targets}, {"sources", model.sources}, {"names", names}, {"winners", won}, {"plots", plots},
        {"frames", frames},           {"pictures", pictures}};
    return script_data(all.dump(-1, ' ', true, json::error_handler_t::replace));
}

} // namespace vmaf::tune
