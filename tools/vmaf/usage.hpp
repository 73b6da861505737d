// What the command says about itself.
#pragma once

#include <string>

#include "options.hpp"

namespace vmaf::cli {

std::string usage_text();                         // --help
std::string model_list();                         // --list_models
std::string feature_list();                       // --list_features
std::string capabilities(const Options &options); // --capabilities: JSON (backends.md 10)

} // namespace vmaf::cli
