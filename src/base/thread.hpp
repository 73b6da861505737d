// Threads that may not be had: what could not be started, and what to do about it.
#pragma once

#include <string>
#include <system_error>
#include <thread>
#include <utility>

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

} // namespace vmaf
