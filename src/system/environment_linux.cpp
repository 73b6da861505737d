#include "system/environment.hpp"

#include <sys/auxv.h>

namespace vmaf::system {

std::optional<std::string> environment(const std::string &name) {
    const char *const value = secure_getenv(name.c_str());
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

bool is_set(const std::string &name) { return secure_getenv(name.c_str()) != nullptr; }

bool has_more_rights_than_caller() { return getauxval(AT_SECURE) != 0; }

} // namespace vmaf::system
