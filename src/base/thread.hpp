// Starts threads; the error says what could not be started and what to do.
#pragma once

#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"

namespace vmaf {

// `purpose` completes "cannot start a thread to ...".
template <class Work> std::thread start_thread(const std::string &purpose, Work work) {
    try {
        return std::thread(std::move(work));
    } catch (const std::system_error &e) {
        throw Error(e.code().value(), "cannot start a thread to " + purpose + " (" + e.code().message() +
                                          "); end other programs or raise the limits on processes and memory "
                                          "(ulimit -u, ulimit -v)");
    }
}

} // namespace vmaf
