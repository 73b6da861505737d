// Lines for people on standard error.
#pragma once

#include <string>

namespace vmaf::cli {

// "vmaf: " and the sentence, with control characters of names in it made visible. On a terminal the meter's line gives
// way.
void say(const std::string &sentence);

} // namespace vmaf::cli
