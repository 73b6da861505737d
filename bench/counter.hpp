// Instructions of a piece of work, counted by callgrind.
#pragma once

#include <functional>
#include <string>

namespace vmaf::bench {

// Runs `work` and lets callgrind, when it runs us (with --instr-atstart=no), write what it counted to a file whose
// description ends in `name`. Throws where valgrind's headers were missing when this was built.
void count_work(const std::function<void()> &work, const std::string &name);

} // namespace vmaf::bench
