#include "say.hpp"

#include <cstdio>

#include "base/visible_text.hpp"
#include "system/terminal.hpp"

namespace vmaf::cli {

void say(const std::string &sentence) {
    std::fprintf(stderr, "%svmaf: %s\n", system::is_terminal(system::Stream::error) ? "\r\033[K" : "",
                 visible_sentence(sentence).c_str());
}

} // namespace vmaf::cli
