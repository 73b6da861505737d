// The result of the command: an exit status and its message.
#pragma once

#include <functional>
#include <string>

namespace vmaf::cli {

struct Ending {
    int status = 0;
    std::string sentence; // empty: nothing to print
};

// Calls `work` and turns exceptions into a status and a message (docs/usage/exit-codes.md).
Ending ending_of(const std::function<void()> &work);

} // namespace vmaf::cli
