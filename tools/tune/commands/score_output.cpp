#include "commands/score_output.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "report/escape.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

std::string csv_text(const json &results) {
    std::string text = "distorted,metric,frame,value\n";
    for (const json &entry : results)
        for (const auto &[name, values] : entry["frames"].items())
            for (std::size_t i = 0; i < values.size(); i++)
                text += csv_field(entry["distorted"].get<std::string>()) + "," + csv_field(name) + "," +
                        std::to_string(i) + "," + values[i].dump() + "\n";
    return text;
}

std::string xml_document(const json &results) {
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<scores>\n";
    for (const json &entry : results) {
        text += "  <score";
        for (const auto &[name, value] : entry.items())
            if (value.is_primitive())
                text += " " + name + "=\"" +
                        markup_escaped(value.is_string() ? value.get<std::string>() : value.dump()) + "\"";
        text += ">\n";
        for (const auto &[metric, figures] : entry["global"].items()) {
            text += "    <metric name=\"" + markup_escaped(metric) + "\"";
            for (const auto &[name, value] : figures.items()) text += " " + name + "=\"" + value.dump() + "\"";
            text += ">\n";
            const json &values = entry["frames"][metric];
            for (std::size_t i = 0; i < values.size(); i++)
                text += "      <frame number=\"" + std::to_string(i) + "\">" + values[i].dump() + "</frame>\n";
            text += "    </metric>\n";
        }
        text += "  </score>\n";
    }
    return text + "</scores>\n";
}

std::string human_text(const json &results) {
    std::string text;
    for (const json &entry : results) {
        for (const auto &[name, figures] : entry["global"].items()) {
            char figure_text[200];
            std::snprintf(figure_text, sizeof figure_text,
                          ": %s %.6f (min %.4f, median %.4f, max %.4f; %lld frames, %s)\n", name.c_str(),
                          figures["average"].get<double>(), figures["min"].get<double>(),
                          figures["median"].get<double>(), figures["max"].get<double>(),
                          entry["scored_frames"].get<long long>(), entry["score_backend"].get<std::string>().c_str());
            text += entry["distorted"].get<std::string>() + figure_text;
        }
        text += "scored: " + entry["scored"].get<std::string>() + "\n";
    }
    return text;
}

} // namespace

std::string score_text(const json &results, ScoreFormat format) {
    if (format == ScoreFormat::json) return json_document(results.size() == 1 ? results[0] : results);
    if (format == ScoreFormat::csv) return csv_text(results);
    if (format == ScoreFormat::xml) return xml_document(results);
    return human_text(results);
}

} // namespace vmaf::tune
