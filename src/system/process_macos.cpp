#include "system/process_posix.hpp"

#include <libproc.h>
#include <mach/mach_time.h>
#include <unistd.h>

#include "system/process.hpp"

extern char **environ;

namespace vmaf::system {

// Programs cannot be bound to processors here, and nothing ends them with their parent: those of a parent that was
// killed end when their pipes do.
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
    constexpr std::uint64_t kNanoseconds = 10'000'000; // in a hundredth of a second
    const std::uint64_t ticks = facts.pti_total_user + facts.pti_total_system;
    return static_cast<std::int64_t>(ticks * base.numer / base.denom / kNanoseconds);
}

} // namespace vmaf::system
