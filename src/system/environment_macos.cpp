#include "system/environment.hpp"

#include <cstdlib>
#include <unistd.h>

namespace vmaf::system {

std::optional<std::string> environment(const std::string &name) {
    const char *const value = issetugid() ? nullptr : std::getenv(name.c_str());
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

bool is_set(const std::string &name) { return !issetugid() && std::getenv(name.c_str()); }

bool has_more_rights_than_caller() { return issetugid() != 0; }

} // namespace vmaf::system
