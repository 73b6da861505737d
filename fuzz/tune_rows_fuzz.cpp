// Any text as rows and documents for vmaf-tune's report: read or refused with an Error. Whatever names they contain,
// pages and charts are well-formed markup with known elements, every CSV line has a field per column, and no CSV text
// starts a formula.
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "reporting/page.hpp"
#include "rows/row.hpp"
#include "rows/row_format.hpp"
#include "rows/row_scan.hpp"
#include "text/json_text.hpp"

using namespace vmaf::tune;

namespace {

void require(bool holds, const char *what, std::string_view where = {}) {
    if (holds) return;
    std::fprintf(stderr, "%s: %.*s\n", what, static_cast<int>(std::min<std::size_t>(where.size(), 200)), where.data());
    __builtin_trap();
}

// Parses markup strictly.
class Markup {
  public:
    Markup(std::string_view text, bool is_html) : text_(text), is_html_(is_html) {
        if (!is_html) skip("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        if (is_html) skip("<!DOCTYPE html>");
        while (!text_.empty()) text_[0] == '<' ? tag() : character();
        require(open_.empty(), "an element is not closed");
        require(!is_html || scripts_ == 2, "there is not one script and one block of data");
    }

  private:
    void skip(std::string_view expected) {
        require(text_.starts_with(expected), "something else was expected", text_);
        text_.remove_prefix(expected.size());
    }

    void character() {
        const auto c = static_cast<unsigned char>(text_[0]);
        require(c >= 0x20 || c == '\n', "a control character", text_);
        if (c == '&') return reference();
        text_.remove_prefix(1);
    }

    void reference() {
        for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#9;", "&#10;", "&#13;"})
            if (text_.starts_with(known)) return text_.remove_prefix(known.size());
        require(false, "an ampersand", text_);
    }

    std::string name() {
        std::size_t end = 0;
        while (end < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '-' || text_[end] == ':'))
            end++;
        const std::string found(text_.substr(0, end));
        require(!found.empty(), "a name was expected", text_);
        text_.remove_prefix(end);
        return found;
    }

    void attribute() {
        static const std::set<std::string> known = {"aria-pressed",
                                                    "aria-selected",
                                                    "checked",
                                                    "data-alt",
                                                    "data-encode",
                                                    "data-metric-part",
                                                    "data-picture",
                                                    "data-plot",
                                                    "data-sign",
                                                    "method",
                                                    "selected",
                                                    "style",
                                                    "value",
                                                    "aria-label",
                                                    "aria-live",
                                                    "aria-sort",
                                                    "alt",
                                                    "charset",
                                                    "class",
                                                    "content",
                                                    "cx",
                                                    "cy",
                                                    "d",
                                                    "data-high",
                                                    "data-kind",
                                                    "data-left",
                                                    "data-line",
                                                    "data-low",
                                                    "data-right",
                                                    "data-table",
                                                    "data-v",
                                                    "fill",
                                                    "height",
                                                    "hidden",
                                                    "href",
                                                    "http-equiv",
                                                    "id",
                                                    "lang",
                                                    "name",
                                                    "open",
                                                    "placeholder",
                                                    "r",
                                                    "role",
                                                    "scope",
                                                    "src",
                                                    "text-anchor",
                                                    "title",
                                                    "transform",
                                                    "type",
                                                    "viewBox",
                                                    "width",
                                                    "x",
                                                    "x1",
                                                    "x2",
                                                    "xmlns",
                                                    "y",
                                                    "y1",
                                                    "y2"};
        const std::string_view before = text_;
        const std::string attribute = name();
        require(known.contains(attribute), "an unknown attribute", before);
        if (is_html_ && (attribute == "hidden" || attribute == "open")) return;
        skip("=\"");
        while (!text_.empty() && text_[0] != '"') {
            require(text_[0] != '<', "a tag in an attribute", before);
            character();
        }
        skip("\"");
    }

    void tag() {
        static const std::set<std::string> known = {
            "a",     "b",      "body",    "button",     "caption", "circle", "dd",    "details", "div",
            "dl",    "dt",     "dialog",  "figcaption", "figure",  "footer", "form",  "g",       "h1",
            "h2",    "h3",     "head",    "header",     "html",    "img",    "input", "kbd",     "label",
            "main",  "meta",   "nav",     "noscript",   "option",  "output", "p",     "path",    "pre",
            "rect",  "script", "section", "select",     "small",   "span",   "style", "summary", "svg",
            "table", "tbody",  "td",      "text",       "th",      "thead",  "title", "tr"};
        const std::string_view before = text_;
        skip("<");
        if (text_.starts_with("/")) {
            skip("/");
            const std::string closed = name();
            require(!open_.empty() && open_.back() == closed, "a tag closes nothing", before);
            open_.pop_back();
            return skip(">");
        }
        const std::string opened = name();
        require(known.contains(opened), "an unknown element", before);
        while (text_.starts_with(" ")) {
            skip(" ");
            attribute();
        }
        if (text_.starts_with("/")) return skip("/>");
        skip(">");
        if (is_html_ && (opened == "meta" || opened == "input" || opened == "img")) return;
        if (opened == "script" || opened == "style") {
            if (opened == "script" && !text_.starts_with(page_script())) { // the data, as JSON
                const std::string_view data = text_.substr(0, text_.find('<'));
                require(nlohmann::json::accept(data), "data that is no JSON", data);
                text_.remove_prefix(data.size());
                open_.push_back(opened);
                scripts_++;
                return;
            }
            const std::string_view own = opened == "script"                ? page_script()
                                         : text_.starts_with(plot_style()) ? plot_style()
                                                                           : page_style();
            skip(own); // without the data
            scripts_ += opened == "script";
        }
        open_.push_back(opened);
    }

    std::string_view text_;
    bool is_html_;
    int scripts_ = 0;
    std::vector<std::string> open_;
};

void check_csv(std::string_view text, std::size_t columns) {
    while (!text.empty()) {
        std::size_t fields = 0;
        for (bool more = true; more;) {
            std::string field;
            const bool is_quoted = text.starts_with("\"");
            if (is_quoted) {
                text.remove_prefix(1);
                for (;;) {
                    require(!text.empty(), "a quote is not closed");
                    const char c = text[0];
                    text.remove_prefix(1);
                    if (c == '"' && !text.starts_with("\"")) break;
                    if (c == '"') text.remove_prefix(1);
                    field += c;
                }
            } else {
                const std::size_t end = text.find_first_of(",\"\r\n");
                require(end != std::string_view::npos, "a line does not end");
                field = text.substr(0, end);
                text.remove_prefix(end);
            }
            const bool is_number = !is_quoted && field.find_first_not_of("+-.0123456789eE") == std::string::npos;
            require(field.empty() || is_number || std::string_view("=+-@\t\r").find(field[0]) == std::string_view::npos,
                    "a formula", field);
            fields++;
            require(!text.empty() && (text[0] == ',' || text[0] == '\n'), "a field does not end", text);
            more = text[0] == ',';
            text.remove_prefix(1);
        }
        require(fields == columns, "a line has another number of fields");
    }
}

void check_table(const Table &table) { check_csv(csv_text(table), table.columns.size()); }

void check_row(const std::string &line) {
    const nlohmann::json row = parse_row(line);
    if (!row.is_object()) return;
    require(parse_row(json_line(row)) == row, "a row is read back as another", line);
    const std::string header = row_header(RowFormat::csv);
    check_csv(row_line(row, RowFormat::csv) + "\n",
              1 + static_cast<std::size_t>(std::count(header.begin(), header.end(), ',')));
}

void check_report(const std::string &text) {
    std::istringstream stream(text);
    ReportContent content;
    try {
        content.data = read_report_data("rows.jsonl", stream);
    } catch (const vmaf::Error &e) {
        require(!std::string(e.what()).empty(), "an error without a sentence");
        return;
    }
    content.title = text.substr(0, 40);
    content.charts = make_charts(content.data, {90});
    content.pictures.resize(content.data.frames.size());
    const Markup page(html_page(content), true);
    for (const Chart &chart : content.charts) {
        const Markup plot(svg_text(chart.plot), false);
        check_table(chart.table);
    }
    for (const Table &table : bd_rate_tables(content.data)) check_table(table);
    check_table(row_table(content.data));
    check_table(failed_table(content.data));
    check_table(cost_table(content.data));
    const std::string markdown = markdown_page(content);
    require(markdown.find('<') == std::string::npos, "markup in Markdown", markdown);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size > 1 << 16) return 0;
    const std::string text(reinterpret_cast<const char *>(data), size);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) check_row(line);
    check_report(text);
    return 0;
}
