// Messages on standard error, other than progress.
#pragma once

#include <cstdio>
#include <string>

#include "base/visible_text.hpp"

namespace vmaf::tune {

// Prints "vmaf-tune COMMAND: " and the message, escaping control characters.
inline void complain(const std::string &command, const std::string &sentence) {
    std::fprintf(stderr, "vmaf-tune%s%s: %s\n", command.empty() ? "" : " ", command.c_str(), visible(sentence).c_str());
}

} // namespace vmaf::tune
