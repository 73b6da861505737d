#include "reporting/page.hpp"

#include <cmath>
#include <set>

#include "adapters/adapter.hpp"
#include "hash/sha256.hpp"
#include "report/escape.hpp"
#include "source/source.hpp"
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
    text += "<div class=\"scroll\"><table class=\"sortable\" id=\"" + markup_escaped(table.id) + "\"><caption>" +
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

// Line ends as they are: there are as many as frames.
std::string escaped_lines(std::string_view text) {
    std::string escaped;
    for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
        escaped += markup_escaped(text.substr(0, end)) + "\n";
    return escaped + markup_escaped(text);
}

std::string chart_html(const Chart &chart, int heading) {
    const std::string h = "h" + std::to_string(heading);
    return "<figure id=\"fig-" + chart.plot.id + "\" data-kind=\"" + chart.kind + "\"><" + h + ">" +
           markup_escaped(chart.heading) + "</" + h + ">" + svg_text(chart.plot, false) + "<figcaption><span>" +
           markup_escaped(chart.caption) +
           "</span><output class=\"readout\" aria-live=\"polite\"></output><span class=\"tools\"><button "
           "type=\"button\" class=\"save-svg\">Save "
           "SVG</button> <button type=\"button\" class=\"save-csv\">Save CSV</button></span></figcaption><pre "
           "class=\"data\" hidden>\n" +
           escaped_lines(csv_text(chart.table)) + "</pre></figure>";
}

std::string distinct(const std::vector<json> &rows, const char *key) {
    std::set<std::string> values;
    for (const json &row : rows)
        if (const auto found = row.find(key);
            found != row.end() && found->is_string() && !found->get<std::string>().empty())
            values.insert(found->get<std::string>());
    std::string text;
    for (const std::string &v : values) text += (text.empty() ? "" : ", ") + v;
    return text;
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

std::string thumbnails_html(const FrameScores &scores, const ReportPictures &pictures) {
    if (pictures.thumbnails.empty())
        return pictures.missing.empty()
                   ? ""
                   : "<p class=\"hint\">No pictures of the worst frames: " + markup_escaped(pictures.missing) + ".</p>";
    std::string text = "<div class=\"worst\">";
    for (const Thumbnail &t : pictures.thumbnails) {
        const std::string what = "frame " + std::to_string(t.frame) + " (" + time_code(scores.seconds_of(t.frame)) +
                                 "), " + scores.metric + " " + fixed_text(scores.main()[t.frame], 2);
        text += "<figure class=\"thumb\"><img width=\"" + std::to_string(3 * t.pane_width) + "\" height=\"" +
                std::to_string(t.pane_height) + "\" alt=\"" + markup_escaped(what) +
                ": reference, encode and difference\" src=\"data:image/jpeg;base64," + base64(t.jpeg) +
                "\"><div class=\"panes\"><span>reference</span><span>encode</span><span>difference "
                "×4</span></div><figcaption>" +
                markup_escaped(what) + "</figcaption></figure>";
    }
    return text + "</div>";
}

// The page's own script runs, and no other: should data ever become markup, it still does nothing.
std::string script_hash() {
    const std::string hex = sha256_hex(std::string(page_script()));
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    return base64(bytes);
}

// A section with its entry in the navigation; empty bodies leave no trace.
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
    const auto charts_of = [&](std::initializer_list<const char *> kinds) {
        std::string text;
        for (const Chart &chart : content.charts)
            for (const char *kind : kinds)
                if (chart.kind == kind) text += chart_html(chart, 3);
        return text;
    };
    Sections sections;
    std::string facts = "<dl class=\"facts\">";
    for (const auto &[name, value] : summary(data))
        facts += "<div><dt>" + markup_escaped(name) + "</dt><dd>" + markup_escaped(value) + "</dd></div>";
    facts += "</dl>" + notices(data);
    if (!data.failed.empty()) facts += table_html(failed_table(data), false);
    sections.add("summary", "Summary", facts);
    sections.add("rate-quality", "Rate and quality", charts_of({"rate-quality"}));
    std::string bd;
    for (const Table &table : bd_rate_tables(data)) bd += table_html(table, false);
    if (!bd.empty())
        bd += "<p class=\"hint\">Bjøntegaard rates: a monotone cubic through log bitrate over score, over the scores "
              "that both reach (in "
              "brackets). Four rising points each are needed.</p>";
    sections.add("bd-rate", "BD-rate", bd);
    sections.add("quality", "Quality value", charts_of({"quality", "search"}));
    sections.add("speed", "Speed", charts_of({"speed"}));
    std::string frames;
    for (std::size_t i = 0; i < data.frames.size(); i++) {
        frames += "<details" + std::string(i < 3 ? " open" : "") + "><summary>" + markup_escaped(data.frames[i].label) +
                  "</summary>";
        for (const Chart &chart : content.charts)
            if ((chart.kind == "frames" || chart.kind == "histogram") && chart.frames_index == i)
                frames += chart_html(chart, 3);
        frames += table_html(worst_table(data.frames[i], "worst-" + std::to_string(i + 1)), false);
        if (i < content.pictures.size()) frames += thumbnails_html(data.frames[i], content.pictures[i]);
        frames += "</details>";
    }
    sections.add("frames", "Frames", frames);
    sections.add("ladder", "Ladder", charts_of({"ladder"}));
    std::string shots = charts_of({"shots"});
    for (const Table &table : shot_tables(data)) shots += table_html(table, false);
    sections.add("shots", "Shots", shots);
    if (!data.rows.empty()) {
        sections.add("cost", "Cost", table_html(cost_table(data), false));
        sections.add("all", "All rows", table_html(row_table(data), true));
    }
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
           "content=\"width=device-width, "
           "initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src "
           "data: blob:; style-src "
           "'unsafe-inline'; script-src 'sha256-" +
           script_hash() + "'\">\n<meta name=\"generator\" content=\"vmaf-tune\">\n<title>" +
           markup_escaped(content.title) + "</title>\n<style id=\"plot-style\">" + std::string(plot_style()) +
           "</style>\n<style>" + std::string(page_style()) +
           "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header><h1>" +
           markup_escaped(content.title) +
           "</h1><button type=\"button\" id=\"theme\" title=\"light, dark or as the system says (key t)\">Theme: "
           "auto</button><nav aria-label=\"Sections\">" +
           sections.nav + "</nav></header>\n<main id=\"main\">\n" + sections.body +
           "</main>\n<footer>Made by vmaf-tune. Keys: <kbd>t</kbd> theme, <kbd>/</kbd> filter, <kbd>←</kbd> "
           "<kbd>→</kbd> walk along a chart in "
           "focus, <kbd>Enter</kbd> on a legend entry hides its line.</footer>\n<script>" +
           std::string(page_script()) + "</script>\n</body>\n</html>\n";
}

std::string markdown_page(const ReportContent &content) {
    const ReportData &data = content.data;
    std::string text = "# " + markdown_escaped(content.title) + "\n\n";
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
