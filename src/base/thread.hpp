// Threads that may not be had: what could not be started and what to do about it, or the same work with fewer of them.
#pragma once

#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace vmaf {

// `purpose` completes "no thread can be started to ...".
template <class Work> std::thread start_thread(const std::string &purpose, Work work) {
    try {
        return std::thread(std::move(work));
    } catch (const std::system_error &e) {
        throw Error(e.code().value(), "no thread can be started to " + purpose + " (" + e.code().message() +
                                          "); end other programs or raise the limits on processes and memory "
                                          "(ulimit -u, ulimit -v)");
    }
}

// Does `work` on this thread and others, `count` in all, or as many as the system gives: slower, but done. Returns when
// all have ended. `work` must not throw on the others.
template <class Work> void work_together(unsigned count, const Work &work) {
    struct Others {
        std::vector<std::thread> threads;
        ~Others() {
            for (std::thread &thread : threads) thread.join();
        }
    } others;
    try {
        for (unsigned i = 1; i < count; i++) others.threads.emplace_back([&work] { work(); });
    } catch (const std::system_error &) {
    }
    work();
}

} // namespace vmaf
