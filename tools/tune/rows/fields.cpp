#include "rows/fields.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace vmaf::tune {

using nlohmann::json;

namespace {

constexpr double kLargest = 1e15, kSmallest = 1e-12;

const json *field(const json &object, const std::string &key) {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

} // namespace

double figure(const json &value) {
    if (!value.is_number()) return std::numeric_limits<double>::quiet_NaN();
    const double number = value.get<double>();
    if (!(std::fabs(number) <= kLargest)) return std::numeric_limits<double>::quiet_NaN();
    return std::fabs(number) < kSmallest ? 0 : number;
}

std::string text_in(const json &object, const char *key, const char *otherwise) {
    const json *const found = field(object, key);
    return found && found->is_string() ? found->get<std::string>() : otherwise;
}

double number_in(const json &object, const char *key) {
    const json *const found = field(object, key);
    return figure(found ? *found : json());
}

bool flag_in(const json &object, const char *key, bool otherwise) {
    const json *const found = field(object, key);
    return found && found->is_boolean() ? found->get<bool>() : otherwise;
}

const json &list_in(const json &object, const char *key) {
    static const json none = json::array();
    const json *const found = field(object, key);
    return found && found->is_array() ? *found : none;
}

const json &object_in(const json &object, std::string_view key) {
    static const json none = json::object();
    const json *const found = field(object, std::string(key));
    return found && found->is_object() ? *found : none;
}

} // namespace vmaf::tune
