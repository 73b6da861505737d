#include "system/environment.hpp"

#include <cstdlib>

namespace vmaf::system {

std::optional<std::string> environment(const std::string &name) {
    const char *const value = secure_getenv(name.c_str());
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

bool is_set(const std::string &name) { return secure_getenv(name.c_str()) != nullptr; }

} // namespace vmaf::system
