#include "interleaved.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace vmaf::bench {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kShortest = 2e-4; // seconds; shorter work is repeated, since the clock is too coarse

// Processor time of this thread, to exclude other programs as far as possible.
double thread_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

double wall_seconds() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

double seconds_of(const std::function<void()> &work, int repeats, bool shared) {
    const auto now = shared ? wall_seconds : thread_seconds;
    const double start = now();
    for (int i = 0; i < repeats; i++) work();
    return (now() - start) / repeats;
}

} // namespace

std::vector<double> best_times(const std::vector<Contender> &contenders, double budget, int min_rounds) {
    const bool shared = std::any_of(contenders.begin(), contenders.end(), [](const auto &c) { return c.lanes > 1; });
    std::vector<int> repeats;
    for (const Contender &c : contenders) {
        c.work(); // warms caches, pages and the clock frequency
        repeats.push_back(std::max(1, int(kShortest / std::max(1e-9, seconds_of(c.work, 1, shared)))));
    }
    std::vector<double> best(contenders.size(), std::numeric_limits<double>::infinity());
    const auto start = Clock::now();
    for (int round = 0; round < min_rounds || std::chrono::duration<double>(Clock::now() - start).count() < budget;
         round++)
        for (std::size_t i = 0; i < contenders.size(); i++)
            best[i] = std::min(best[i], seconds_of(contenders[i].work, repeats[i], shared));
    return best;
}

} // namespace vmaf::bench
