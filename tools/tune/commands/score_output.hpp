// Results of `score` as text (tune.md 12.3).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "commands/options_of_commands.hpp"

namespace vmaf::tune {

// `results`: one object per scored file.
std::string score_text(const nlohmann::json &results, ScoreFormat format);

} // namespace vmaf::tune
