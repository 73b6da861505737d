// Results of `score` as text (tune.md 12.3).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace vmaf::tune {

// `results`: one object per scored file. `format`: human, json, csv or xml.
std::string score_text(const nlohmann::json &results, const std::string &format);

} // namespace vmaf::tune
