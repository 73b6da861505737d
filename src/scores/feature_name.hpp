// Stored and displayed names of scores (models.md 5.1, 5.2).
#pragma once

#include <string>
#include <string_view>

#include "metrics/metric.hpp"

namespace vmaf {

// Short form shown in documents: "integer_adm2" for "VMAF_integer_feature_adm2_score"; most names are their own.
std::string_view feature_alias(std::string_view name);

// The key under which a score is stored: `feature`, or alias plus suffix if an option appears in the name.
std::string stored_name(std::string_view feature, const std::string &suffix);

// The stored name of a model's feature. Throws Error if no metric provides the feature or an option is out of
// range.
std::string stored_name_for_model(std::string_view feature, const OptionTexts &options);

} // namespace vmaf
