#include "counter.hpp"

#include "base/error.hpp"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

namespace vmaf::bench {

void count_work(const std::function<void()> &work, const std::string &name) {
#ifdef CALLGRIND_DUMP_STATS_AT
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
    work();
    CALLGRIND_DUMP_STATS_AT(name.c_str());
    CALLGRIND_STOP_INSTRUMENTATION;
#else
    (void)work;
    throw invalid("cannot count " + name + ": built without valgrind's headers");
#endif
}

} // namespace vmaf::bench
