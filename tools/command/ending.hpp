// How a piece of work of the command ended: an exit status, and the sentence that goes with it.
#pragma once

#include <functional>
#include <string>

namespace vmaf::cli {

struct Ending {
    int status = 0;
    std::string sentence; // empty: there is nothing to say
};

// Calls `work`; whatever it throws becomes a status and a sentence (docs/usage/exit-codes.md).
Ending ending_of(const std::function<void()> &work);

} // namespace vmaf::cli
