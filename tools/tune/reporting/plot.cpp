#include "reporting/plot.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "report/escape.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

namespace {

constexpr double kWidth = 860, kHeight = 380, kLeft = 62, kTop = 14, kBottom = 48, kLegend = 210;
constexpr std::size_t kEnvelope = 1600; // longer lines are drawn as extremes per column

struct Range {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    void add(double v) {
        if (!std::isfinite(v)) return;
        low = std::min(low, v);
        high = std::max(high, v);
    }
    bool empty() const { return low > high; }
};

// The position of a plot's values on the canvas.
struct Frame {
    Range x, y;
    bool log_x = false;
    double right = kWidth - kLegend;
    double place_x(double v) const {
        const double a = log_x ? std::log(x.low) : x.low, b = log_x ? std::log(x.high) : x.high;
        return kLeft + (right - kLeft) * ((log_x ? std::log(v) : v) - a) / (b - a);
    }
    double place_y(double v) const {
        return kHeight - kBottom - (kHeight - kBottom - kTop) * (v - y.low) / (y.high - y.low);
    }
};

std::string at(double v) { return fixed_text(v, 1); }

void widen(Range &range, bool logarithmic) {
    if (range.empty()) range = {logarithmic ? 1.0 : 0.0, logarithmic ? 10.0 : 1.0};
    if (logarithmic) {
        range.low = std::max(range.low, 1e-3) * 0.93;
        range.high = std::max(range.high, range.low * 1.1) * 1.07;
    } else {
        const double room = range.high > range.low ? (range.high - range.low) * 0.04 : 1;
        range.low -= room;
        range.high += room;
    }
}

std::string shape(int colour, double x, double y, double r) {
    switch (((colour % 5) + 5) % 5) {
    case 0: return "<circle cx=\"" + at(x) + "\" cy=\"" + at(y) + "\" r=\"" + at(r) + "\"";
    case 1:
        return "<rect x=\"" + at(x - r) + "\" y=\"" + at(y - r) + "\" width=\"" + at(2 * r) + "\" height=\"" +
               at(2 * r) + "\"";
    case 2:
        return "<path d=\"M" + at(x) + " " + at(y - 1.2 * r) + "L" + at(x + 1.1 * r) + " " + at(y + 0.9 * r) + "L" +
               at(x - 1.1 * r) + " " + at(y + 0.9 * r) + "Z\"";
    case 3:
        return "<path d=\"M" + at(x) + " " + at(y - 1.3 * r) + "L" + at(x + 1.3 * r) + " " + at(y) + "L" + at(x) + " " +
               at(y + 1.3 * r) + "L" + at(x - 1.3 * r) + " " + at(y) + "Z\"";
    default:
        return "<path d=\"M" + at(x) + " " + at(y + 1.2 * r) + "L" + at(x + 1.1 * r) + " " + at(y - 0.9 * r) + "L" +
               at(x - 1.1 * r) + " " + at(y - 0.9 * r) + "Z\"";
    }
}

std::string colour_class(int colour) { return colour < 0 ? "sn" : "s" + std::to_string(colour % 8); }

std::string path_of(const PlotLine &line, const Frame &frame) {
    std::string d;
    const auto add = [&](double x, double y) { d += (d.empty() ? "M" : "L") + at(x) + " " + at(y); };
    if (line.points.size() <= kEnvelope) {
        for (const PlotPoint &p : line.points) add(frame.place_x(p.x), frame.place_y(p.y));
        return d;
    }
    // First, lowest, highest and last value of each column: loses nothing visible.
    for (std::size_t i = 0; i < line.points.size();) {
        const double column = std::floor(frame.place_x(line.points[i].x));
        std::size_t low = i, high = i, end = i;
        while (end < line.points.size() && std::floor(frame.place_x(line.points[end].x)) == column) {
            if (line.points[end].y < line.points[low].y) low = end;
            if (line.points[end].y > line.points[high].y) high = end;
            end++;
        }
        std::vector<std::size_t> shown = {i, low, high, end - 1};
        std::ranges::sort(shown);
        shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
        for (const std::size_t k : shown) add(frame.place_x(line.points[k].x), frame.place_y(line.points[k].y));
        i = end;
    }
    return d;
}

std::string axes(const Plot &plot, const Frame &frame) {
    std::string text = "<g class=\"grid\">";
    std::string labels;
    const double floor_y = kHeight - kBottom;
    const auto short_number = [](double v) { return number_text(std::round(v * 1e6) / 1e6 + 0.0); };
    for (const double v : linear_ticks(frame.y.low, frame.y.high, 6)) {
        const double y = frame.place_y(v);
        text += "<path d=\"M" + at(kLeft) + " " + at(y) + "H" + at(frame.right) + "\"/>";
        labels += "<text x=\"" + at(kLeft - 8) + "\" y=\"" + at(y + 4) + "\" text-anchor=\"end\">" + short_number(v) +
                  "</text>";
    }
    for (const double v :
         frame.log_x ? log_ticks(frame.x.low, frame.x.high) : linear_ticks(frame.x.low, frame.x.high, 8)) {
        const double x = frame.place_x(v);
        text += "<path d=\"M" + at(x) + " " + at(kTop) + "V" + at(floor_y) + "\"/>";
        labels += "<text x=\"" + at(x) + "\" y=\"" + at(floor_y + 18) + "\" text-anchor=\"middle\">" + short_number(v) +
                  "</text>";
    }
    text += "</g><g class=\"axis\">" + labels;
    text += "<text x=\"" + at((kLeft + frame.right) / 2) + "\" y=\"" + at(kHeight - 8) +
            "\" text-anchor=\"middle\" class=\"name\">" + markup_escaped(plot.x_label) + "</text>";
    text += "<text transform=\"translate(14 " + at((kTop + floor_y) / 2) +
            ") rotate(-90)\" text-anchor=\"middle\" class=\"name\">" + markup_escaped(plot.y_label) + "</text></g>";
    return text;
}

std::string rules(const Plot &plot, const Frame &frame) {
    std::string text = "<g class=\"rules\">";
    for (const PlotRule &r : plot.vertical) {
        if (r.at < frame.x.low || r.at > frame.x.high) continue;
        text += "<path d=\"M" + at(frame.place_x(r.at)) + " " + at(kTop) + "V" + at(kHeight - kBottom) + "\"><title>" +
                markup_escaped(r.label) + "</title></path>";
    }
    double last_label = -100;
    std::vector<PlotRule> sorted = plot.horizontal;
    std::ranges::sort(sorted, [](const PlotRule &a, const PlotRule &b) { return a.at > b.at; });
    for (const PlotRule &r : sorted) {
        if (r.at < frame.y.low || r.at > frame.y.high) continue;
        const double y = frame.place_y(r.at);
        last_label = std::max(y - 5, last_label + 13); // labels never overlap
        text += "<path class=\"across\" d=\"M" + at(kLeft) + " " + at(y) + "H" + at(frame.right) +
                "\"/><text class=\"halo\" x=\"" + at(frame.right - 4) + "\" y=\"" + at(last_label) +
                "\" text-anchor=\"end\">" + markup_escaped(r.label) + "</text>";
    }
    return text + "</g>";
}

std::string drawn(const Plot &plot, const PlotLine &line, std::size_t index, const Frame &frame) {
    std::string text =
        "<g class=\"line " + colour_class(line.colour) + "\" data-line=\"" + std::to_string(index) + "\">";
    if (line.style == PlotLine::Style::bars) {
        const double width =
            line.points.size() > 1 ? frame.place_x(line.points[1].x) - frame.place_x(line.points[0].x) : 20;
        for (const PlotPoint &p : line.points) {
            const double y = frame.place_y(p.y), x = frame.place_x(p.x);
            text += "<rect class=\"bar\" x=\"" + at(x - width * 0.46) + "\" y=\"" + at(y) + "\" width=\"" +
                    at(width * 0.92) + "\" height=\"" + at(frame.place_y(0) - y) + "\"><title>" +
                    markup_escaped(p.note) + "</title></rect>";
        }
        return text + "</g>";
    }
    if (line.style != PlotLine::Style::marks && line.points.size() > 1)
        text += "<path class=\"" + std::string(line.style == PlotLine::Style::dashed ? "stroke dashed" : "stroke") +
                "\" d=\"" + path_of(line, frame) + "\"/>";
    if (line.marks || line.points.size() == 1)
        for (std::size_t i = 0; i < line.points.size(); i++) {
            const PlotPoint &p = line.points[i];
            const double x = frame.place_x(p.x), y = frame.place_y(p.y);
            text += shape(line.colour, x, y, 4) + " class=\"mark\"><title>" + markup_escaped(p.note) + "</title></" +
                    (line.colour % 5 == 0   ? "circle"
                     : line.colour % 5 == 1 ? "rect"
                                            : "path") +
                    ">";
            if (plot.numbered)
                text += "<text class=\"number\" x=\"" + at(x + 7) + "\" y=\"" + at(y - 6) + "\">" +
                        std::to_string(i + 1) + "</text>";
        }
    return text + "</g>";
}

std::string legend(const Plot &plot, const Frame &frame) {
    std::string text = "<g class=\"legend\">";
    double y = kTop + 10;
    for (std::size_t i = 0; i < plot.lines.size(); i++, y += 18) {
        const PlotLine &line = plot.lines[i];
        if (line.name.empty()) continue;
        const double x = frame.right + 18;
        text += "<g class=\"key " + colour_class(line.colour) + "\" data-line=\"" + std::to_string(i) + "\">";
        if (line.style == PlotLine::Style::line || line.style == PlotLine::Style::dashed)
            text += "<path class=\"" + std::string(line.style == PlotLine::Style::dashed ? "stroke dashed" : "stroke") +
                    "\" d=\"M" + at(x) + " " + at(y) + "H" + at(x + 22) + "\"/>";
        if (line.marks) text += shape(line.colour, x + 11, y, 4) + " class=\"mark\"/>";
        std::string name = line.name;
        if (name.size() > 24) name = name.substr(0, 10) + "…" + name.substr(name.size() - 12);
        text += "<text x=\"" + at(x + 30) + "\" y=\"" + at(y + 4) + "\">" + markup_escaped(name) + "<title>" +
                markup_escaped(line.name) + "</title></text></g>";
    }
    return text + "</g>";
}

// The plot without points outside it.
Plot drawable(Plot plot) {
    const auto has_place = [&](const PlotPoint &p) {
        return std::isfinite(p.x) && std::isfinite(p.y) && (!plot.log_x || p.x > 0);
    };
    for (PlotLine &line : plot.lines) std::erase_if(line.points, std::not_fn(has_place));
    std::erase_if(plot.horizontal, [](const PlotRule &r) { return !std::isfinite(r.at); });
    std::erase_if(plot.vertical, [](const PlotRule &r) { return !std::isfinite(r.at); });
    return plot;
}

} // namespace

std::vector<double> linear_ticks(double low, double high, int about) {
    std::vector<double> ticks;
    if (!(high > low) || !std::isfinite(high - low)) return ticks;
    const double rough = (high - low) / std::max(1, about), power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double m : {1.0, 2.0, 5.0})
        if (m * power >= rough) {
            step = m * power;
            break;
        }
    const double first = std::ceil(low / step - 1e-9);
    for (int i = 0; i <= about + 1 && (first + i) * step <= high + 1e-9 * step; i++)
        ticks.push_back((first + i) * step);
    return ticks;
}

std::vector<double> log_ticks(double low, double high) {
    std::vector<double> ticks;
    if (!(low > 0 && high > low)) return ticks;
    const auto first = static_cast<int>(std::floor(std::log10(low)));
    for (int decade = first; decade <= std::log10(high); decade++)
        for (const double m : {1.0, 2.0, 5.0})
            if (const double tick = m * std::pow(10.0, decade); tick >= low && tick <= high) ticks.push_back(tick);
    return ticks.size() >= 3 ? ticks : linear_ticks(low, high, 6);
}

std::string svg_text(const Plot &given) {
    const Plot plot = drawable(given);
    Frame frame;
    frame.log_x = plot.log_x;
    for (const PlotLine &line : plot.lines)
        for (const PlotPoint &p : line.points) {
            frame.x.add(p.x);
            frame.y.add(p.y);
            if (line.style == PlotLine::Style::bars) frame.y.add(0);
        }
    const bool bars =
        std::ranges::any_of(plot.lines, [](const PlotLine &l) { return l.style == PlotLine::Style::bars; });
    for (const PlotRule &r : plot.horizontal) frame.y.add(r.at);
    widen(frame.x, plot.log_x);
    widen(frame.y, false);
    if (bars) frame.y.low = 0;

    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" id=\"" +
        markup_escaped(plot.id) + "\" viewBox=\"0 0 " + at(kWidth) + " " + at(kHeight) +
        "\" role=\"img\" aria-label=\"" + markup_escaped(plot.title) + "\" data-left=\"" + at(kLeft) +
        "\" data-right=\"" + at(frame.right) + "\" data-low=\"" + number_text(frame.x.low) + "\" data-high=\"" +
        number_text(frame.x.high) + "\"><title>" + markup_escaped(plot.title) + "</title><style>" +
        std::string(plot_style()) + "</style><rect class=\"paper\" width=\"100%\" height=\"100%\"/>";
    text += axes(plot, frame) + "<g class=\"lines\">";
    for (std::size_t i = 0; i < plot.lines.size(); i++) text += drawn(plot, plot.lines[i], i, frame);
    return text + "</g>" + rules(plot, frame) + legend(plot, frame) + "</svg>\n";
}

} // namespace vmaf::tune
