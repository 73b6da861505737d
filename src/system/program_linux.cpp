#include "system/program.hpp"

#include <algorithm>
#include <filesystem>
#include <sched.h>
#include <thread>

namespace vmaf::system {

std::string program_path() {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

std::string program_to_start() {
    const std::string path = program_path();
    std::error_code error;
    return std::filesystem::exists(path, error) ? path : "/proc/self/exe";
}

unsigned usable_processors() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
    return std::max(1u, std::thread::hardware_concurrency());
}

bool has_threads() { return true; }

} // namespace vmaf::system
