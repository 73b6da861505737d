#include "system/leftovers.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <ctime>
#include <unistd.h>

namespace vmaf::system {

namespace {

void remove_file(const char *name) noexcept { unlink(name); }

void wait_a_moment() noexcept {
    const timespec millisecond{0, 1'000'000};
    nanosleep(&millisecond, nullptr);
}

[[noreturn]] void wait_forever() noexcept {
    for (;;) pause();
}

// From the outermost begin() of this thread to its end(): a file may first be created under another name.
struct SignalsBlocked {
    static void begin() noexcept {
        if (depth++ > 0) return;
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    static void end() noexcept {
        if (--depth == 0) pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    static thread_local sigset_t before;
    static thread_local unsigned depth;
};
thread_local sigset_t SignalsBlocked::before;
thread_local unsigned SignalsBlocked::depth = 0;

} // namespace

} // namespace vmaf::system

#include "system/leftovers-inl.hpp"
