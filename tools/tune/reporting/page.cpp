#include "reporting/page.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/lists.hpp"
#include "hash/sha256.hpp"
#include "report/escape.hpp"
#include "reporting/page_data.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

std::string table_html(const Table &table, bool filter) {
    std::string text = "<div class=\"table\">";
    if (filter)
        text += "<p><label>Filter rows <input type=\"search\" class=\"filter\" data-table=\"" +
                markup_escaped(table.id) +
                "\" placeholder=\"libx264 slow\"></label> <span class=\"count\" aria-live=\"polite\"></span></p>";
    constexpr std::size_t kTall = 40; // rows; a longer table scrolls
    text += std::string("<div class=\"scroll") + (table.rows.size() > kTall ? " tall" : "") +
            "\"><table class=\"sortable\" id=\"" + markup_escaped(table.id) + "\"><caption>" +
            markup_escaped(table.caption) + "</caption><thead><tr>";
    for (std::size_t i = 0; i < table.columns.size(); i++) {
        const bool numeric = !table.rows.empty() && i < table.rows[0].size() && table.rows[0][i].value.has_value();
        text += std::string("<th scope=\"col\" aria-sort=\"none\"") + (numeric ? " class=\"n\"" : "") +
                "><button type=\"button\">" + markup_escaped(table.columns[i]) + "</button></th>";
    }
    text += "</tr></thead><tbody>";
    for (const auto &row : table.rows) {
        text += "<tr>";
        for (const TableCell &cell : row) {
            if (cell.value && std::isfinite(*cell.value))
                text += "<td class=\"n\" data-v=\"" + number_text(*cell.value) + "\" title=\"" +
                        number_text(*cell.value) + "\">";
            else
                text += "<td>";
            text += markup_escaped(cell.text) + "</td>";
        }
        text += "</tr>";
    }
    return text + "</tbody></table></div><p class=\"tools\"><button type=\"button\" class=\"csv\" data-table=\"" +
           markup_escaped(table.id) + "\">Save CSV</button></p></div>";
}

std::string distinct(const std::vector<json> &rows, const char *key) {
    std::set<std::string> values;
    for (const json &row : rows)
        if (const auto found = row.find(key);
            found != row.end() && found->is_string() && !found->get<std::string>().empty())
            values.insert(found->get<std::string>());
    return joined(values);
}

std::vector<std::pair<std::string, std::string>> summary(const ReportData &data) {
    std::vector<std::pair<std::string, std::string>> facts;
    const auto add = [&](const std::string &name, const std::string &value) {
        if (!value.empty()) facts.emplace_back(name, value);
    };
    if (!data.rows.empty())
        add("Rows", std::to_string(data.rows.size()) +
                        (data.failed.empty() ? "" : ", " + std::to_string(data.failed.size()) + " failed"));
    add("Sources", distinct(data.rows, "src"));
    add("Encoders", distinct(data.rows, "encoder"));
    add("Encoder versions", distinct(data.rows, "encoder_version"));
    add("FFmpeg", distinct(data.rows, "ffmpeg_version"));
    add("Model", distinct(data.rows, "vmaf_model"));
    add("Scored on", distinct(data.rows, "score_backend"));
    add("Scored at", distinct(data.rows, "score_scale"));
    add("Sampling", distinct(data.rows, "clip_mode"));
    return facts;
}

std::string notices(const ReportData &data) {
    std::string text;
    const std::string models = distinct(data.rows, "vmaf_model");
    if (models.find(", ") != std::string::npos)
        text += "<p class=\"notice\">Rows were scored with different models (" + markup_escaped(models) +
                "): their scores are not comparable.</p>";
    const std::string scales = distinct(data.rows, "score_scale");
    if (scales.find(", ") != std::string::npos)
        text += "<p class=\"notice\">Rows were scored at different sizes (" + markup_escaped(scales) + ").</p>";
    for (const std::string &complaint : data.complaints)
        text += "<p class=\"notice\">" + markup_escaped(complaint) + "</p>";
    return text;
}

// A placeholder for a chart; the page's script draws it in the available width.
std::string figure_html(const std::string &attributes) {
    return "<figure " + attributes +
           "><h3></h3><div class=\"drawing\"></div><figcaption><span class=\"caption\"></span><output "
           "class=\"readout\" "
           "aria-live=\"polite\"></output><span class=\"tools\"><button type=\"button\" class=\"save-svg\">Save "
           "SVG</button> <button type=\"button\" class=\"save-csv\">Save CSV</button></span></figcaption></figure>";
}

std::string charts_html(const PageModel &model, std::string_view kind) {
    std::string text;
    for (const Chart *chart : model.others)
        if (chart->kind == kind) text += figure_html("data-plot=\"" + std::to_string(plot_number(model, chart)) + "\"");
    return text;
}

std::string signed_percent(double value, int digits) {
    return (value > 0 ? "+" : value < 0 ? "−" : "") + fixed_text(std::fabs(value), digits) + " %";
}

std::string card(const std::string &what, const std::string &figure, const std::string &note,
                 const std::string &tone = "") {
    return "<div class=\"card\"><div class=\"what\">" + markup_escaped(what) + "</div><div class=\"figure" +
           (tone.empty() ? "" : " " + tone) + "\">" + markup_escaped(figure) + "</div><div class=\"note\">" +
           markup_escaped(note) + "</div></div>";
}

// The answer first: the winner, its saving, and whether that holds everywhere.
std::string verdict_html(const Verdict &v) {
    if (!v.has_winner()) return "<p class=\"answer\">" + markup_escaped(v.sentence()) + "</p>";
    const Contender &best = v.contenders.front();
    std::string text = "<p class=\"answer\">" + markup_escaped(v.sentence()) + "</p><div class=\"cards\">";
    text += card("Least bitrate at " + v.score_name + " " + number_text(v.target), v.winner,
                 v.is_given ? "the target that was given" : "no --target was given; most curves reach this one");
    if (v.winner != v.baseline)
        text += card("Saving against " + v.baseline, fixed_text(best.saving.mean, 1) + " %",
                     best.saving.sources > 1 ? "mean of " + std::to_string(best.saving.sources) + " sources"
                                             : "on one source",
                     best.saving.mean >= 0 ? "good" : "bad");
    if (best.saving.sources > 1 && v.winner != v.baseline)
        text += card(
            "Spread over sources", fixed_text(best.saving.low, 1) + " to " + fixed_text(best.saving.high, 1) + " %",
            best.saving.low < 0 ? "on some sources it needs more than the baseline" : "it saves on every source");
    std::map<std::string, std::size_t> wins;
    std::size_t decided = 0;
    for (const SourceVerdict &s : v.sources)
        if (!s.winner.empty()) {
            wins[s.winner]++;
            decided++;
        }
    if (v.sources.size() > 1)
        text += card("Wins", std::to_string(wins[v.winner]) + " of " + std::to_string(decided),
                     "sources on which it needs the least of all");
    text += "</div><h3>Bitrate at " + markup_escaped(v.score_name + " " + number_text(v.target)) + ", relative to " +
            markup_escaped(v.baseline) + "</h3><div class=\"ranking\">";
    double most = 0;
    for (const Contender &c : v.contenders)
        if (c.saving.sources) most = std::max(most, 100 - c.saving.mean);
    for (const Contender &c : v.contenders) {
        const double relative = 100 - c.saving.mean;
        text += "<div class=\"contender\"><span>" + markup_escaped(c.name) + "</span><span class=\"track\">";
        if (c.saving.sources)
            text += "<span class=\"bar" + std::string(&c == &best ? " first" : "") +
                    "\" style=\"display:block;width:" + fixed_text(most > 0 ? 100 * relative / most : 0, 1) +
                    "%\"></span>";
        text += "</span><span class=\"value\">" +
                (c.saving.sources ? fixed_text(relative, 1) + " %" : std::string("no source with the baseline")) +
                (c.saving.sources && c.saving.sources < c.kbps.size()
                     ? " (" + std::to_string(c.saving.sources) + " of " + std::to_string(c.kbps.size()) + ")"
                     : "") +
                "</span></div>";
    }
    return text +
           "</div><p class=\"hint\">Interpolated between measured points by a monotone cubic through log bitrate; "
           "means are geometric. Less is better.</p>";
}

std::string matrix_html(const RateMatrix &matrix, std::size_t score, const std::string &name) {
    std::size_t sources = 0;
    for (const auto &row : matrix.cells)
        for (const AverageRate &cell : row) sources = std::max(sources, cell.sources);
    std::string text = "<div data-metric-part=\"" + std::to_string(score) +
                       "\"><div class=\"scroll\"><table class=\"matrix\" id=\"bd-average-" + std::to_string(score + 1) +
                       "\"><caption>" + (sources > 1 ? "Average over sources, " : "One source, ") +
                       markup_escaped(name) +
                       ": how much more (+) or less (−) bitrate the row needs than the column for the same "
                       "score</caption><thead><tr><th scope=\"col\">configuration</th>";
    for (const std::string &column : matrix.names) text += "<th scope=\"col\">vs " + markup_escaped(column) + "</th>";
    text += "</tr></thead><tbody>";
    for (std::size_t i = 0; i < matrix.names.size(); i++) {
        text += "<tr><th scope=\"row\">" + markup_escaped(matrix.names[i]) + "</th>";
        for (std::size_t k = 0; k < matrix.names.size(); k++) {
            const AverageRate &cell = matrix.cells[i][k];
            if (i == k || cell.sources == 0) {
                text += std::string("<td data-sign=\"none\">") + (i == k ? "·" : "no common range") + "</td>";
                continue;
            }
            text += std::string("<td data-sign=\"") + (cell.mean < 0 ? "less" : "more") + "\" data-v=\"" +
                    number_text(cell.mean) +
                    "\" style=\"--much:" + fixed_text(std::min(35.0, std::fabs(cell.mean)), 0) + "\">" +
                    signed_percent(cell.mean, 1) + "<small>" +
                    (cell.sources > 1 ? signed_percent(cell.low, 0) + " to " + signed_percent(cell.high, 0) + ", " +
                                            std::to_string(cell.sources) + " sources"
                                      : std::string("one source")) +
                    "</small></td>";
        }
        text += "</tr>";
    }
    return text + "</tbody></table></div></div>";
}

std::string curves_html(const PageModel &model) {
    if (model.curves.empty()) return "";
    std::string text = "<div class=\"controls\"><label" + std::string(model.sources.size() > 1 ? "" : " hidden") +
                       ">Source <select id=\"choose-source\">";
    for (std::size_t i = 0; i < model.sources.size(); i++)
        text +=
            "<option value=\"" + std::to_string(i) + "\">" + markup_escaped(short_name(model.sources[i])) + "</option>";
    text += "</select></label><label" + std::string(model.scores.size() > 1 ? "" : " hidden") +
            ">Metric <select id=\"choose-metric\">";
    for (std::size_t i = 0; i < model.scores.size(); i++)
        text += "<option value=\"" + std::to_string(i) + "\">" + markup_escaped(model.scores[i].name) + "</option>";
    text += "</select></label><div class=\"tabs\" id=\"choose-kind\" role=\"tablist\">";
    const std::pair<const char *, const char *> kinds[] = {
        {"rate-quality", "Bitrate"}, {"quality", "Quality value"}, {"speed", "Speed"}};
    for (const auto &[kind, name] : kinds) {
        const bool is_there =
            std::ranges::any_of(model.curves, [kind = kind](const Chart &chart) { return chart.kind == kind; });
        if (is_there)
            text += std::string("<button type=\"button\" role=\"tab\" aria-selected=\"") +
                    (std::string_view(kind) == "rate-quality" ? "true" : "false") + "\" data-kind=\"" + kind + "\">" +
                    name + "</button>";
    }
    return text + "</div></div>" + figure_html("id=\"fig-curves\"");
}

std::string sources_html(const PageModel &model) {
    if (model.sources.size() < 2) return "";
    return "<div class=\"controls\"><label>Find <input type=\"search\" id=\"find-source\" placeholder=\"name or "
           "encoder\"></label><p class=\"hint\">All on one scale. A source that is chosen is shown "
           "below.</p></div><div "
           "class=\"multiples\" id=\"multiples\"></div>";
}

std::string worst_html(const ReportContent &content, const PageModel &model) {
    std::string text;
    std::set<std::string> missing;
    std::size_t picture = 0;
    for (const std::size_t i : model.encodes) {
        const FrameScores &scores = content.data.frames[i];
        const ReportPictures none, &pictures = i < content.pictures.size() ? content.pictures[i] : none;
        if (!pictures.missing.empty()) missing.insert(pictures.missing);
        text += "<h3>" + markup_escaped(scores.label) + "</h3>";
        if (!pictures.heat_missing.empty())
            text += "<p class=\"hint\">No heat maps: " + markup_escaped(pictures.heat_missing) + ".</p>";
        if (pictures.heat)
            text += "<figure data-strip=\"" + std::to_string(i) +
                    "\"><figcaption><span>Worst cell of every frame, from the first to the last; click one to open "
                    "it</span><span class=\"readout\"></span></figcaption></figure>";
        if (!pictures.thumbnails.empty()) text += "<div class=\"worst\">";
        for (const Thumbnail &t : pictures.thumbnails) {
            const std::string what = "frame " + std::to_string(t.frame) + " (" + time_code(scores.seconds_of(t.frame)) +
                                     "), " + scores.metric + " " + fixed_text(scores.main()[t.frame], 2);
            text += "<figure data-picture=\"" + std::to_string(picture++) + "\" data-alt=\"" +
                    markup_escaped(what + " of " + scores.label) + "\"><figcaption><b>" + markup_escaped(what) +
                    "</b><span class=\"tools\"><button type=\"button\" class=\"difference-button\" "
                    "aria-pressed=\"false\">Difference ×4</button> " +
                    (pictures.heat ? "<button type=\"button\" class=\"heat-button\" aria-pressed=\"false\">Heat "
                                     "map</button> "
                                   : "") +
                    "<button type=\"button\" "
                    "class=\"enlarge-button\">Enlarge</button></span></figcaption></figure>";
        }
        if (!pictures.thumbnails.empty())
            text += "</div>";
        else
            text += table_html(worst_table(scores, "worst-" + std::to_string(i + 1)), false);
    }
    for (const std::string &reason : missing)
        text += "<p class=\"hint\">No pictures of the worst frames: " + markup_escaped(reason) + ".</p>";
    if (text.empty()) return "";
    return "<p class=\"hint\">The lowest frames of those encodes that come nearest to the target, one for each "
           "configuration. Left of the slider is the reference, right of it the encode.</p><div "
           "class=\"controls\" id=\"heat-controls\"></div>" +
           text;
}

std::string frames_html(const ReportContent &content, const PageModel &model) {
    const std::vector<FrameScores> &frames = content.data.frames;
    if (frames.empty()) return "";
    std::set<std::string> metrics;
    for (const FrameScores &scores : frames)
        for (const auto &[name, values] : scores.series) metrics.insert(name);
    std::set<std::size_t> first(model.encodes.begin(), model.encodes.end());
    while (first.size() > 4) first.erase(std::prev(first.end())); // more lines are hard to read
    if (first.empty()) first.insert(0);
    std::string text = "<div class=\"controls\"><label>Metric <select id=\"frame-metric\">";
    const std::string &main = frames[*first.begin()].metric;
    for (const std::string &name : metrics)
        text += "<option value=\"" + markup_escaped(name) + "\"" + (name == main ? " selected=\"\"" : "") + ">" +
                markup_escaped(name) + "</option>";
    text += "</select></label>";
    if (frames.size() > 6)
        text += "<label>Find an encode <input type=\"search\" id=\"find-encode\" placeholder=\"libx264 26\"></label>";
    text += "</div><div class=\"encodes\" id=\"encodes\" role=\"group\" aria-label=\"Encodes to lay over each other\">";
    for (std::size_t i = 0; i < frames.size(); i++)
        text += "<label><input type=\"checkbox\" value=\"" + std::to_string(i) + "\"" +
                (first.contains(i) ? " checked=\"\"" : "") + "> <span>" + markup_escaped(frames[i].label) +
                "</span></label>";
    text += "</div>" + figure_html("id=\"fig-overlay\"");
    for (const Chart *chart : model.histograms)
        text += figure_html("data-plot=\"" + std::to_string(plot_number(model, chart)) + "\" data-encode=\"" +
                            std::to_string(chart->index) + "\"");
    return text;
}

// Replaces `{{name}}` in the template by the text of that name; does not look inside texts.
std::string filled(std::string_view page, const std::map<std::string, std::string, std::less<>> &texts) {
    std::string result;
    for (std::size_t open = 0; (open = page.find("{{")) != std::string_view::npos;) {
        const std::size_t close = page.find("}}", open);
        if (close == std::string_view::npos) break;
        result += page.substr(0, open);
        const auto found = texts.find(page.substr(open + 2, close - open - 2));
        if (found != texts.end()) result += found->second;
        page.remove_prefix(close + 2);
    }
    return result + std::string(page);
}

// Allows only the page's own script: if data ever became markup, it would still be inert.
std::string script_hash() {
    const std::string hex = sha256_hex(std::string(page_script()));
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    return base64(bytes);
}

// A section with its entry in the navigation; empty bodies are omitted.
struct Sections {
    std::string nav, body;
    void add(const std::string &id, const std::string &heading, const std::string &content) {
        if (content.empty()) return;
        nav += "<a href=\"#" + id + "\">" + markup_escaped(heading) + "</a>";
        body += "<section id=\"" + id + "\"><h2>" + markup_escaped(heading) + "</h2>" + content + "</section>\n";
    }
};

} // namespace

std::string base64(std::string_view bytes) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned group = 0;
        for (std::size_t k = 0; k < 3; k++)
            group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; k++) text += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

std::string html_page(const ReportContent &content) {
    const ReportData &data = content.data;
    const PageModel model = make_model(content);
    Sections sections;
    if (!model.scores.empty() && model.scores.front().verdict)
        sections.add("verdict", "Verdict", verdict_html(*model.scores.front().verdict));
    sections.add("sources", "Sources", sources_html(model));
    sections.add("rate-quality", "Rate and quality", curves_html(model));
    std::string bd;
    for (std::size_t i = 0; i < model.scores.size(); i++)
        if (const RateMatrix matrix = average_bd_rates(model.scores[i].panels); matrix.names.size() > 1)
            bd += matrix_html(matrix, i, model.scores[i].name);
    const std::vector<Table> tables = bd_rate_tables(data);
    if (!bd.empty() && model.sources.size() > 1 && !tables.empty()) {
        bd += "<details><summary>Each source</summary>";
        for (const Table &table : tables) bd += table_html(table, false);
        bd += "</details>";
    }
    if (!bd.empty())
        bd += "<p class=\"hint\">Bjøntegaard rates: a monotone cubic through log bitrate over score, over the scores "
              "that both reach. Four rising points each are needed.</p>";
    sections.add("bd-rate", "BD-rate", bd);
    sections.add("worst", "Worst frames", worst_html(content, model));
    sections.add("frames", "Frame by frame", frames_html(content, model));
    sections.add("search", "Search", charts_html(model, "search"));
    sections.add("ladder", "Ladder", charts_html(model, "ladder"));
    std::string shots = charts_html(model, "shots");
    for (const Table &table : shot_tables(data)) shots += table_html(table, false);
    sections.add("shots", "Shots", shots);
    std::string facts = "<dl class=\"facts\">";
    for (const auto &[name, value] : summary(data))
        facts += "<div><dt>" + markup_escaped(name) + "</dt><dd>" + markup_escaped(value) + "</dd></div>";
    facts += "</dl>" + notices(data);
    if (!data.failed.empty()) facts += table_html(failed_table(data), false);
    sections.add("summary", "What was measured", facts);
    if (!data.rows.empty()) {
        sections.add("cost", "Cost", table_html(cost_table(data), false));
        sections.add("all", "All rows", table_html(row_table(data), true));
    }
    return filled(page_template(), {{"title", markup_escaped(content.title)},
                                    {"plot-style", std::string(plot_style())},
                                    {"style", std::string(page_style())},
                                    {"script", std::string(page_script())},
                                    {"script-hash", script_hash()},
                                    {"navigation", sections.nav},
                                    {"sections", sections.body},
                                    {"data", page_data(content, model)}});
}

std::string markdown_page(const ReportContent &content) {
    const ReportData &data = content.data;
    const PageModel model = make_model(content);
    std::string text = "# " + markdown_escaped(content.title) + "\n\n";
    if (!model.scores.empty() && model.scores.front().verdict)
        text += markdown_escaped(model.scores.front().verdict->sentence()) + "\n\n";
    for (const auto &[name, value] : summary(data)) text += "- " + name + ": " + markdown_escaped(value) + "\n";
    text += "\n";
    if (!data.failed.empty()) text += markdown_text(failed_table(data));
    for (const Table &table : bd_rate_tables(data)) text += markdown_text(table);
    for (std::size_t i = 0; i < data.frames.size(); i++) {
        Table table = worst_table(data.frames[i], "");
        table.caption = data.frames[i].label + ": " + table.caption;
        text += markdown_text(table);
    }
    for (const Table &table : shot_tables(data)) text += markdown_text(table);
    if (!data.rows.empty()) text += markdown_text(cost_table(data)) + markdown_text(row_table(data));
    return text;
}

} // namespace vmaf::tune
