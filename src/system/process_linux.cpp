#include "system/process_posix.hpp"

#include <csignal>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>

#include "system/process.hpp"

namespace vmaf::system {

static_assert(kMostProcessors == CPU_SETSIZE);

ProcessorSet::ProcessorSet(const std::vector<int> &numbers) {
    if (numbers.empty()) return;
    auto *const set = new cpu_set_t;
    CPU_ZERO(set);
    for (const int number : numbers) CPU_SET(static_cast<std::size_t>(number), set);
    set_ = set;
}

ProcessorSet::~ProcessorSet() { delete static_cast<cpu_set_t *>(set_); }

void ProcessorSet::apply() const {
    if (set_) sched_setaffinity(0, sizeof(cpu_set_t), static_cast<cpu_set_t *>(set_));
}

void die_with_parent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

void execute(char *const *words, char *const *environment) { execvpe(words[0], words, environment); }

std::int64_t processor_time(ProcessNumber process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    text.erase(0, text.rfind(')') + 1); // the name may contain anything
    std::istringstream fields(text);
    std::string skipped;
    for (int i = 0; i < 11; i++) fields >> skipped;
    std::int64_t user = 0, system = 0;
    fields >> user >> system;
    return user + system;
}

} // namespace vmaf::system
