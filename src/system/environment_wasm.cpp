#include "system/environment.hpp"

#include <cstdlib>

namespace vmaf::system {

std::optional<std::string> environment(const std::string &name) {
    const char *const value = std::getenv(name.c_str());
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

bool is_set(const std::string &name) { return std::getenv(name.c_str()) != nullptr; }

bool has_more_rights_than_caller() { return false; }

} // namespace vmaf::system
