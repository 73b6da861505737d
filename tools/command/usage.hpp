// Texts about the command itself.
#pragma once

#include <span>
#include <string>

#include "backend_choice.hpp"
#include "options.hpp"

namespace vmaf::cli {

std::string usage_text();   // --help
std::string model_list();   // --list_models
std::string feature_list(); // --list_features
// --capabilities: JSON (backends.md 10). Tries all backends that are not switched off.
std::string capabilities(const Options &options, std::span<const GpuBackend> built);

} // namespace vmaf::cli
