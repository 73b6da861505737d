#include "say.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/visible_text.hpp"
#include "system/terminal.hpp"

namespace vmaf::cli {

void say(const std::string &sentence) {
    std::fprintf(stderr, "%svmaf: %s\n", system::is_terminal(system::Stream::error) ? "\r\033[K" : "",
                 visible_sentence(sentence).c_str());
}

bool print_line(const std::string &line) { return std::fprintf(stderr, "%s\n", line.c_str()) >= 0; }

Failure cannot_print(const std::string &stream, int code) {
    return {code == EPIPE ? ExitCode::closed_pipe : ExitCode::setup,
            "cannot write " + stream + ": " + std::generic_category().message(code)};
}

} // namespace vmaf::cli
