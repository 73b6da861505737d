// Results of `score` as text (tune.md 12.3).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace vmaf::tune {

enum class ScoreFormat { human, json, csv, xml };

// `results`: one object per scored file.
std::string score_text(const nlohmann::json &results, ScoreFormat format);

} // namespace vmaf::tune
