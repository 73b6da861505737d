#include "report/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "report/escape.hpp"
#include "scores/feature_name.hpp"
#include "scores/pooling.hpp"

namespace vmaf {

namespace {

constexpr std::size_t kPieceBytes = 1 << 16;

using NamedScore = std::pair<std::size_t, double>; // index of the name, score

struct PoolingName {
    std::string_view name;
    Pooling method;
};
constexpr auto kPoolings = std::to_array<PoolingName>(
    {{"min", Pooling::min}, {"max", Pooling::max}, {"mean", Pooling::mean}, {"harmonic_mean", Pooling::harmonic_mean}});

std::string percentile_name(double p) {
    std::string name = "p";
    NumberFormat::significant(6).append(name, p);
    return name;
}

// Shared by all four writers: the text so far, displayed names, scores by frame.
class DocumentWriter {
  public:
    DocumentWriter(const Report &report, const std::function<void(std::string_view)> &out)
        : report(report), names(report.scores.names()), out_(out) {}

    void finish() {
        if (!text.empty()) out_(text);
        text.clear();
    }

    // Names as the format writes them, escaped once: a long clip prints them a million times.
    template <class Escape> void set_labels(Escape escape) {
        for (const std::string &name : names) labels_.push_back(escape(feature_alias(name)));
    }
    const std::string &label(std::size_t name) const { return labels_[name]; }
    void number(double value) { report.numbers.append(text, value); }
    void put(std::string_view piece) {
        text.append(piece);
        if (text.size() >= kPieceBytes) finish();
    }

    // Visits sampled frames that have a score.
    template <class Visit> void each_frame(Visit visit) {
        const std::size_t end = report.scores.frame_capacity();
        std::vector<NamedScore> scores;
        for (std::size_t index = 0; index < end; index += report.subsample) {
            scores.clear();
            for (std::size_t n = 0; n < names.size(); n++)
                if (const auto score = report.scores.find(names[n], static_cast<unsigned>(index)))
                    scores.emplace_back(n, *score);
            if (!scores.empty()) visit(index, scores);
        }
    }

    // Empty if a score is missing.
    std::vector<std::pair<std::string, double>> pooled(std::size_t name) const {
        std::vector<std::pair<std::string, double>> list;
        if (report.pictures == 0) return list;
        const unsigned last = report.pictures - 1;
        try {
            const std::vector<double> values = is_sparse(names[name])
                                                   ? present_values(names[name])
                                                   : report.scores.values(names[name], 0, last, report.subsample);
            if (values.empty()) return list;
            for (const PoolingName &pooling : kPoolings) list.emplace_back(pooling.name, pool(values, pooling.method));
            for (const double p : report.percentiles) list.emplace_back(percentile_name(p), percentile(values, p));
        } catch (const Error &) {
            list.clear();
        }
        return list;
    }

    double fps() const { return report.pictures / report.scores.busy_seconds(); }

    const Report &report;
    const std::vector<std::string> names;
    std::string text;

  private:
    bool is_sparse(const std::string &name) const {
        const auto &sparse = report.local.sparse_names;
        return std::find(sparse.begin(), sparse.end(), name) != sparse.end();
    }
    std::vector<double> present_values(const std::string &name) const {
        std::vector<double> values;
        for (unsigned index = 0; index < report.pictures; index += report.subsample)
            if (const auto score = report.scores.find(name, index)) values.push_back(*score);
        return values;
    }

    const std::function<void(std::string_view)> &out_;
    std::vector<std::string> labels_;
};

void xml_attribute(DocumentWriter &w, std::string_view name, double value) {
    w.put(name);
    w.put("=\"");
    w.number(value);
    w.put("\" ");
}

// Written before and apart from the scores: readers take every attribute of <frame> for a metric.
void xml_inputs(DocumentWriter &w) {
    const InputReport &inputs = w.report.inputs;
    if (inputs.sections.empty()) return;
    w.put("  <inputs>\n");
    for (const InputReport::Section &section : inputs.sections) {
        w.put("    <" + section.name + " ");
        for (const auto &fact : section.facts) w.put(fact.name + "=\"" + markup_escaped(fact.value) + "\" ");
        w.put("/>\n");
    }
    for (const std::string &step : inputs.steps) w.put("    <step>" + markup_escaped(step) + "</step>\n");
    for (const std::string &warning : inputs.warnings)
        w.put("    <warning>" + markup_escaped(warning) + "</warning>\n");
    for (const std::string &note : inputs.notes) w.put("    <note>" + markup_escaped(note) + "</note>\n");
    w.put("  </inputs>\n");
}

void write_xml(DocumentWriter &w) {
    const Report &r = w.report;
    w.set_labels(markup_escaped);
    w.put("<VMAF version=\"" + markup_escaped(r.version) + "\">\n");
    w.put("  <params qualityWidth=\"" + std::to_string(r.width) + "\" qualityHeight=\"" + std::to_string(r.height) +
          "\" />\n");
    w.put("  <fyi fps=\"");
    append_decimals(w.text, w.fps(), 2);
    w.put("\" />\n");
    xml_inputs(w);
    w.put("  <frames>\n");
    w.each_frame([&](std::size_t index, const std::vector<NamedScore> &scores) {
        w.put("    <frame frameNum=\"" + std::to_string(index) + "\" ");
        for (const auto &[name, score] : scores) xml_attribute(w, w.label(name), score);
        w.put("/>\n");
    });
    w.put("  </frames>\n  <pooled_metrics>\n");
    for (std::size_t n = 0; n < w.names.size(); n++) {
        w.put("    <metric name=\"" + w.label(n) + "\" ");
        for (const auto &[name, value] : w.pooled(n)) xml_attribute(w, name, value);
        w.put("/>\n");
    }
    w.put("  </pooled_metrics>\n  <aggregate_metrics ");
    for (const auto &[name, value] : r.scores.aggregates()) xml_attribute(w, markup_escaped(name), value);
    w.put("/>\n</VMAF>\n");
}

void json_number(DocumentWriter &w, double value) {
    if (std::isfinite(value))
        w.number(value);
    else
        w.put("null");
}

void json_frames(DocumentWriter &w) {
    bool is_first = true;
    w.each_frame([&](std::size_t index, const std::vector<NamedScore> &scores) {
        if (!std::exchange(is_first, false)) w.put(",\n");
        w.put("    {\n      \"frameNum\": " + std::to_string(index) + ",\n      \"metrics\": {\n");
        for (std::size_t i = 0; i < scores.size(); i++) {
            const auto &[name, score] = scores[i];
            w.put("        ");
            w.put(w.label(name));
            w.put(": ");
            json_number(w, score);
            if (i + 1 < scores.size()) w.put(",");
            if (std::isfinite(score)) w.put("\n"); // the reference breaks no line after a null
        }
        w.put("      }\n    }");
    });
    if (!is_first) w.put("\n");
}

void json_pooled(DocumentWriter &w) {
    for (std::size_t n = 0; n < w.names.size(); n++) {
        w.put("    " + w.label(n) + ": {\n");
        bool is_first = true;
        for (const auto &[name, value] : w.pooled(n)) {
            if (!std::exchange(is_first, false)) w.put(",\n");
            w.put("      \"" + name + "\": ");
            json_number(w, value);
        }
        if (!is_first) w.put("\n");
        w.put(n + 1 < w.names.size() ? "    },\n" : "    }\n");
    }
}

void json_list(DocumentWriter &w, std::string_view name, const std::vector<std::string> &texts) {
    w.put(",\n    \"" + std::string(name) + "\": [");
    for (std::size_t i = 0; i < texts.size(); i++) w.put((i ? ",\n      " : "\n      ") + json_string(texts[i]));
    w.put(texts.empty() ? "]" : "\n    ]");
}

void json_inputs(DocumentWriter &w) {
    const InputReport &inputs = w.report.inputs;
    if (inputs.sections.empty()) return;
    w.put(",\n  \"inputs\": {\n");
    for (std::size_t s = 0; s < inputs.sections.size(); s++) {
        w.put((s ? ",\n    " : "    ") + json_string(inputs.sections[s].name) + ": {\n");
        const auto &facts = inputs.sections[s].facts;
        for (std::size_t i = 0; i < facts.size(); i++)
            w.put("      " + json_string(facts[i].name) + ": " +
                  (facts[i].is_number ? facts[i].value : json_string(facts[i].value)) +
                  (i + 1 < facts.size() ? ",\n" : "\n"));
        w.put("    }");
    }
    json_list(w, "steps", inputs.steps);
    json_list(w, "warnings", inputs.warnings);
    json_list(w, "notes", inputs.notes);
    w.put("\n  }");
}

// A list of objects with two strings each; omitted if empty.
void json_pairs(DocumentWriter &w, std::string_view name, std::array<std::string_view, 2> keys,
                const std::vector<std::pair<std::string, std::string>> &pairs) {
    for (std::size_t i = 0; i < pairs.size(); i++) {
        w.put(i == 0 ? ",\n  " + json_string(name) + ": [\n" : ",\n");
        w.put("    {" + json_string(keys[0]) + ": " + json_string(pairs[i].first) + ", " + json_string(keys[1]) + ": " +
              json_string(pairs[i].second) + "}");
        if (i + 1 == pairs.size()) w.put("\n  ]");
    }
}

std::string json_area(const ReportArea &area) {
    return "\"x\": " + std::to_string(area.x) + ", \"y\": " + std::to_string(area.y) +
           ", \"width\": " + std::to_string(area.width) + ", \"height\": " + std::to_string(area.height);
}

std::string json_list(const std::vector<int> &numbers) {
    std::string text;
    for (const int number : numbers) text += (text.empty() ? "[" : ", ") + std::to_string(number);
    return text + "]";
}

void json_local(DocumentWriter &w) {
    const LocalReport &local = w.report.local;
    for (std::size_t i = 0; i < local.regions.size(); i++) {
        const LocalReport::RegionPlace &region = local.regions[i];
        w.put(i == 0 ? ",\n  \"regions\": [\n" : ",\n");
        w.put("    {\"name\": " + json_string(region.name) +
              (region.area ? ", " + json_area(*region.area) : ", \"moves\": true") + "}");
        if (i + 1 == local.regions.size()) w.put("\n  ]");
    }
    if (local.map_score.empty()) return;
    w.put(",\n  \"map\": {\n    \"score\": " + json_string(local.map_score) +
          ",\n    \"cell\": " + std::to_string(local.cell_size) + ",\n    \"x\": " + json_list(local.map_x) +
          ",\n    \"y\": " + json_list(local.map_y) + ",\n    \"worst_cells\": [");
    for (std::size_t i = 0; i < local.worst_cells.size(); i++) {
        const LocalReport::Cell &cell = local.worst_cells[i];
        w.put((i ? ",\n      " : "\n      ") + std::string("{\"frameNum\": ") + std::to_string(cell.frame) +
              ", \"column\": " + std::to_string(cell.column) + ", \"row\": " + std::to_string(cell.row) + ", " +
              json_area(cell.area) + ", \"score\": ");
        json_number(w, cell.score);
        w.put("}");
    }
    w.put("\n    ]\n  }");
}

void write_json(DocumentWriter &w) {
    const Report &r = w.report;
    w.set_labels(json_string);
    w.put("{\n  \"version\": " + json_string(r.version) + ",\n  \"fps\": ");
    if (std::isfinite(w.fps()))
        append_decimals(w.text, w.fps(), 2);
    else
        w.put("null");
    w.put(",\n  \"frames\": [\n");
    json_frames(w);
    w.put("  ],\n  \"pooled_metrics\": {\n");
    json_pooled(w);
    w.put("  },\n  \"aggregate_metrics\": {\n");
    const auto aggregates = r.scores.aggregates();
    for (std::size_t i = 0; i < aggregates.size(); i++) {
        w.put("    " + json_string(aggregates[i].first) + ": ");
        json_number(w, aggregates[i].second);
        w.put(i + 1 < aggregates.size() ? ",\n" : "\n");
    }
    w.put("  }");
    json_inputs(w);
    json_local(w);
    json_pairs(w, "chosen_models", {"name", "version"}, r.chosen_models);
    json_pairs(w, "feature_backends", {"extractor", "backend"}, r.feature_backends);
    if (!r.backend_used.empty()) w.put(",\n  \"backend_used\": " + json_string(r.backend_used));
    w.put("\n}\n");
}

void write_csv(DocumentWriter &w) {
    w.set_labels(csv_field);
    w.put("Frame,");
    for (std::size_t n = 0; n < w.names.size(); n++) w.put(w.label(n) + ",");
    w.put("\n");
    w.each_frame([&](std::size_t index, const std::vector<NamedScore> &scores) {
        w.put(std::to_string(index) + ",");
        std::size_t column = 0;
        for (const auto &[name, score] : scores) {
            for (; column < name; column++) w.put(","); // a missing score is an empty field
            w.number(score);
            w.put(",");
            column++;
        }
        for (; column < w.names.size(); column++) w.put(",");
        w.put("\n");
    });
}

void write_sub(DocumentWriter &w) {
    w.set_labels(sub_label);
    w.each_frame([&](std::size_t index, const std::vector<NamedScore> &scores) {
        const std::string i = std::to_string(index);
        w.put("{" + i + "}{" + std::to_string(index + 1) + "}frame: " + i + "|");
        for (const auto &[name, score] : scores) {
            w.put(w.label(name));
            w.put(": ");
            w.number(score);
            w.put("|");
        }
        w.put("\n");
    });
}

} // namespace

void write_report(const Report &report, ReportFormat format, const std::function<void(std::string_view)> &out) {
    DocumentWriter writer(report, out);
    switch (format) {
    case ReportFormat::xml: write_xml(writer); break;
    case ReportFormat::json: write_json(writer); break;
    case ReportFormat::csv: write_csv(writer); break;
    case ReportFormat::sub: write_sub(writer); break;
    }
    writer.finish();
}

} // namespace vmaf
