// Counts the instructions of a piece of work with callgrind.
#pragma once

#include <functional>
#include <string>

namespace vmaf::bench {

// Runs `work`; under callgrind (with --instr-atstart=no), writes the counts to a file whose description ends in `name`.
// Throws if this was built without valgrind's headers.
void count_work(const std::function<void()> &work, const std::string &name);

} // namespace vmaf::bench
