#include "rows/configuration.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/lists.hpp"
#include "process/child.hpp"
#include "rows/fields.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

std::string size_of(const json &row, const char *width, const char *height) {
    const json w = row.value(width, json()), h = row.value(height, json());
    return w.is_number_integer() && h.is_number_integer() ? w.dump() + "x" + h.dump() : "";
}

// Older rows have FFmpeg's options, and filters only in their command.
std::vector<std::string> options_of(const json &row) {
    std::vector<std::string> options;
    const auto add_texts = [&](const json &list) {
        for (const json &item : list)
            if (item.is_string()) options.push_back(item.get<std::string>());
    };
    if (const auto own = row.find("options"); own != row.end()) {
        add_texts(*own);
        return options;
    }
    if (const auto extra = row.find("extra_params"); extra != row.end()) add_texts(*extra);
    const json &command = list_in(row, "argv");
    for (std::size_t i = 0; i + 1 < command.size(); i++)
        if (command[i] == "-vf" && command[i + 1].is_string())
            options.insert(options.end(), {"--vfilter", command[i + 1].get<std::string>()});
    if (row.value("passes", json(1)) == 2) options.push_back("--two-pass");
    return options;
}

} // namespace

Configuration configuration_of(const json &row) {
    Configuration c;
    c.encoder = text_in(row, "encoder");
    c.preset = text_in(row, "preset");
    c.variant = text_in(row, "variant");
    c.options = options_of(row);
    c.resolution = size_of(row, "encode_width", "encode_height");
    c.pix_fmt = text_in(row, "out_pix_fmt");
    return c;
}

bool states_conditions(const json &row) { return !object_in(row, "conditions").empty(); }

std::string unstated_text(std::size_t rows) {
    return counted(static_cast<std::int64_t>(rows), "row") + " without scoring conditions: read as scored with the " +
           "defaults (every frame, an unfiltered reference, no film grain)";
}

ScoreConditions conditions_of(const json &row, const std::string &metric) {
    ScoreConditions c;
    const json &stated = object_in(row, "conditions");
    const json &own = object_in(object_in(stated, "metrics"), metric);
    const std::string scale = text_in(row, "score_scale");
    c.size = text_in(own, "size");
    if (c.size.empty()) c.size = scale == "none" ? size_of(row, "width", "height") : scale.substr(0, scale.find(':'));
    c.model = text_in(own, "model");
    if (c.model.empty() && metric.starts_with("vmaf")) c.model = text_in(row, "vmaf_model");
    const auto add = [&](const std::string &part) { add_item(c.rest, part); };
    if (const std::string samples = text_in(row, "clip_mode"); !samples.empty() && samples != "full") add(samples);
    if (const double n = number_in(stated, "subsample"); n > 1) add("one of " + number_text(n) + " frames");
    if (const std::string filter = text_in(stated, "reference_vfilter"); !filter.empty())
        add("reference filter " + filter);
    if (text_in(stated, "film_grain") == "keep") add("with film grain");
    if (const std::string scaler = text_in(stated, "scaler");
        !scaler.empty() && scaler != "bicubic" && c.size != size_of(row, "width", "height"))
        add(scaler);
    return c;
}

std::string ScoreConditions::text() const {
    std::string all;
    for (const std::string &part : {model.starts_with("version=") ? model.substr(8) : model, size, rest})
        if (!part.empty()) add_item(all, part);
    return all.empty() ? "not stated" : all;
}

std::string Configuration::details(const std::vector<Configuration> &others) const {
    const auto differs = [&](auto member) {
        return std::ranges::any_of(others, [&](const Configuration &c) { return c.*member != this->*member; });
    };
    std::string text;
    const auto add = [&](const std::string &part) {
        if (!part.empty()) add_item(text, part, " ");
    };
    if (!variant.empty())
        add(variant);
    else if (differs(&Configuration::options))
        add(shell_quoted(options));
    if (differs(&Configuration::resolution)) add(resolution);
    if (differs(&Configuration::pix_fmt)) add(pix_fmt);
    return text;
}

std::string Configuration::label(const std::vector<Configuration> &others) const {
    const std::string rest = details(others);
    return encoder + " " + preset + (rest.empty() ? "" : " " + rest);
}

} // namespace vmaf::tune
