// Fields of rows and documents from unknown writers: of the type that is wanted, or as if they were not there.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace vmaf::tune {

std::string text_in(const nlohmann::json &object, const char *key, const char *otherwise = "");
double number_in(const nlohmann::json &object, const char *key); // not-a-number if there is none
bool flag_in(const nlohmann::json &object, const char *key, bool otherwise);
const nlohmann::json &list_in(const nlohmann::json &object, const char *key);        // empty if there is none
const nlohmann::json &object_in(const nlohmann::json &object, std::string_view key); // empty if there is none

// A value as a figure: not-a-number if it is none, or too large to have been measured; what is next to nothing is 0.
double figure(const nlohmann::json &value);

} // namespace vmaf::tune
