// Sentences on standard error that are no progress.
#pragma once

#include <cstdio>
#include <string>

#include "base/visible_text.hpp"

namespace vmaf::tune {

// "vmaf-tune COMMAND: " and the sentence, with control characters of names in it made visible.
inline void complain(const std::string &command, const std::string &sentence) {
    std::fprintf(stderr, "vmaf-tune%s%s: %s\n", command.empty() ? "" : " ", command.c_str(), visible(sentence).c_str());
}

} // namespace vmaf::tune
