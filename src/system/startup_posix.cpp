#include "system/startup.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace vmaf::system {

namespace {

int status_on_interrupt = 1;
void (*clean_up_at_end)() noexcept = nullptr;

extern "C" void end_on_interrupt(int) {
    clean_up_at_end();
    _exit(status_on_interrupt);
}

extern "C" void end_on_signal(int number) {
    clean_up_at_end();
    std::signal(number, SIG_DFL);
    std::raise(number);
}

// What the caller ignores stays ignored: `nohup`, and jobs in the background of a script.
void handle(int number, void (*handler)(int)) {
    if (std::signal(number, handler) == SIG_IGN) std::signal(number, SIG_IGN);
}

} // namespace

Arguments::Arguments(int argc, char **argv) : pointers_(argv, argv + argc) { pointers_.push_back(nullptr); }

// With a standard descriptor closed, a clip or the document would get its number, and messages would go there.
// Reading what was closed for reading, and writing what was closed for writing, stays an error.
void prepare_standard_streams() {
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
        while (fcntl(number, F_GETFD) < 0 && errno == EBADF)
            if (open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) break;
}

void end_orderly_on_signals(int interrupted_status, void (*clean_up)() noexcept) {
    status_on_interrupt = interrupted_status;
    clean_up_at_end = clean_up;
    handle(SIGINT, end_on_interrupt);
    handle(SIGTERM, end_on_signal);
    handle(SIGHUP, end_on_signal);
    std::signal(SIGPIPE, SIG_IGN); // a closed output is an error like others
    std::signal(SIGXFSZ, SIG_IGN); // and so is a limit on the size of files
}

} // namespace vmaf::system
