// Starting a thread that reads, or saying why there is none.
#pragma once

#include <string>
#include <system_error>
#include <thread>

#include "base/error.hpp"

namespace vmaf {

template <class Work> std::thread reader_thread(const std::string &clip, Work work) {
    try {
        return std::thread(std::move(work));
    } catch (const std::system_error &e) {
        throw Error(e.code().value(), "no thread can be started to read " + clip + " (" + e.code().message() +
                                          "); end other programs or raise the limits on processes and memory "
                                          "(ulimit -u, ulimit -v)");
    }
}

} // namespace vmaf
