#include "system/startup.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/error.hpp"

namespace vmaf::system {

namespace {

int status_on_interrupt = 1;
void (*clean_up_at_end)() noexcept = nullptr;
int output_error = 0; // why output_arrives() failed; the C library forgets it

extern "C" void end_on_interrupt(int) {
    clean_up_at_end();
    _exit(status_on_interrupt);
}

extern "C" void end_on_signal(int number) {
    clean_up_at_end();
    std::signal(number, SIG_DFL);
    std::raise(number);
}

// Ignored signals stay ignored: `nohup`, and background jobs of scripts.
void handle(int number, void (*handler)(int)) {
    struct sigaction before {};
    if (sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_IGN) std::signal(number, handler);
}

// With a private number above those that programs use by convention.
Descriptor moved_away(int number, int flags) {
    constexpr int kAbove = 64;
    Descriptor copy(fcntl(number, F_DUPFD_CLOEXEC, kAbove));
    const Descriptor null(::open("/dev/null", flags | O_CLOEXEC));
    if (!copy.is_open() || !null.is_open() || dup2(null.get(), number) < 0)
        throw Error(errno, std::string("the standard streams cannot be used: ") + std::strerror(errno));
    return copy;
}

} // namespace

Arguments::Arguments(int argc, char **argv) : pointers_(argv, argv + argc) { pointers_.push_back(nullptr); }

// If a standard descriptor is closed, a clip or document would get its number and receive our messages. Reading or
// writing such a stream must remain an error.
void prepare_standard_streams() {
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
        while (fcntl(number, F_GETFD) < 0 && errno == EBADF)
            if (open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) break;
}

StandardStreams take_standard_streams() {
    Descriptor input = moved_away(STDIN_FILENO, O_RDONLY);
    return {std::move(input), moved_away(STDOUT_FILENO, O_WRONLY)};
}

bool output_arrives() noexcept {
    if (std::fflush(stdout) == 0) return !std::ferror(stdout);
    output_error = errno;
    return false;
}

int end_with_output(const char *program, int status, int failed_status) noexcept {
    bool arrived = output_arrives();
    pollfd reader{STDOUT_FILENO, 0, 0};
    const bool has_gone = poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR); // closed pipe
    if (std::fclose(stdout) != 0 && arrived && errno != EBADF) {
        arrived = false;
        output_error = errno;
    }
    if (arrived || status != 0) return status;
    if (has_gone || output_error == EPIPE) return kClosedPipeStatus;
    std::fprintf(stderr, "%s: cannot write standard output%s%s\n", program, output_error ? ": " : "; is its disk full?",
                 output_error ? std::strerror(output_error) : "");
    return failed_status;
}

void end_orderly_on_signals(int interrupted_status, void (*clean_up)() noexcept) {
    status_on_interrupt = interrupted_status;
    clean_up_at_end = clean_up;
    handle(SIGINT, end_on_interrupt);
    handle(SIGTERM, end_on_signal);
    handle(SIGHUP, end_on_signal);
    std::signal(SIGPIPE, SIG_IGN); // a closed output becomes an ordinary error
    std::signal(SIGXFSZ, SIG_IGN); // so does a file size limit
}

} // namespace vmaf::system
