#include "system/process_posix.hpp"

#include <libproc.h>
#include <mach/mach_time.h>
#include <unistd.h>

#include "system/process.hpp"

extern char **environ;

namespace vmaf::system {

// macOS cannot bind programs to processors or end them with their parent: children of a killed
// parent end when their pipes close.
ProcessorSet::ProcessorSet(const std::vector<int> &) {}
ProcessorSet::~ProcessorSet() = default;
void ProcessorSet::apply() const {}
void die_with_parent() {}

void execute(char *const *words, char *const *environment) {
    environ = const_cast<char **>(environment);
    execvp(words[0], words);
}

std::int64_t processor_time(ProcessNumber process) {
    proc_taskinfo facts{};
    if (proc_pidinfo(static_cast<int>(process), PROC_PIDTASKINFO, 0, &facts, sizeof facts) != sizeof facts) return 0;
    mach_timebase_info_data_t base{};
    mach_timebase_info(&base);
    constexpr std::uint64_t kNanoseconds = 10'000'000; // per hundredth of a second
    const std::uint64_t ticks = facts.pti_total_user + facts.pti_total_system;
    return static_cast<std::int64_t>(ticks * base.numer / base.denom / kNanoseconds);
}

} // namespace vmaf::system
