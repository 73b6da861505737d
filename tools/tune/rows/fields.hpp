// Fields of rows and documents from unknown writers: fields of a wrong type count as missing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace vmaf::tune {

std::string text_in(const nlohmann::json &object, const char *key, const char *otherwise = "");
double number_in(const nlohmann::json &object, const char *key); // NaN if missing
bool flag_in(const nlohmann::json &object, const char *key, bool otherwise);
const nlohmann::json &list_in(const nlohmann::json &object, const char *key);        // empty if missing
const nlohmann::json &object_in(const nlohmann::json &object, std::string_view key); // empty if missing

// A value as a figure: NaN if it is no number or implausibly large; negligible values are 0.
double figure(const nlohmann::json &value);

} // namespace vmaf::tune
