#include "system/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace vmaf::system {

bool is_terminal(Stream stream) {
    return isatty(stream == Stream::input    ? STDIN_FILENO
                  : stream == Stream::output ? STDOUT_FILENO
                                             : STDERR_FILENO) == 1;
}

unsigned terminal_columns() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

} // namespace vmaf::system
