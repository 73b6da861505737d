// SHA-256, for cache keys and file identities.
#pragma once

#include <string>

namespace vmaf::tune {

std::string sha256_hex(const std::string &text);
std::string sha256_of_file(const std::string &path); // throws Error

} // namespace vmaf::tune
