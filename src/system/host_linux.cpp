#include "system/host.hpp"

#include <algorithm>
#include <fstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace vmaf::system {

std::string processor_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name")) return line.substr(std::min(line.find(": "), line.size() - 2) + 2);
    utsname facts{};
    uname(&facts);
    return facts.machine;
}

std::optional<std::uint64_t> free_memory() {
    std::optional<std::uint64_t> free;
    std::ifstream machine("/proc/meminfo");
    for (std::string word; machine >> word;) {
        std::uint64_t kilobytes = 0;
        if (word == "MemAvailable:" && machine >> kilobytes) free = kilobytes * 1024;
    }
    // A container may have a lower limit; "max" means none.
    std::uint64_t limit = 0, used = 0;
    if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit && std::ifstream("/sys/fs/cgroup/memory.current") >> used) {
        const std::uint64_t left = limit - std::min(limit, used);
        free = std::min(free.value_or(left), left);
    }
    return free;
}

bool has_metal() { return false; }

bool may_have_gpu() {
    for (const char *node :
         {"/dev/nvidiactl", "/dev/nvidia0", "/dev/dri", "/dev/kfd", "/dev/dxg", "/dev/nvhost-gpu", "/dev/nvmap"})
        if (access(node, F_OK) == 0) return true;
    return false;
}

} // namespace vmaf::system
