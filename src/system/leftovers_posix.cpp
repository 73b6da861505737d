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

// In this thread. Files are not made inside one another, so one mask is enough.
struct SignalsBlocked {
    static void begin() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    static void end() noexcept { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
    static thread_local sigset_t before;
};
thread_local sigset_t SignalsBlocked::before;

} // namespace

} // namespace vmaf::system

#include "system/leftovers-inl.hpp"
