#include "system/program.hpp"

#include <algorithm>
#include <filesystem>
#include <sched.h>
#include <string_view>
#include <thread>

namespace vmaf::system {

namespace {

constexpr const char *kItself = "/proc/self/exe";
constexpr std::string_view kDeleted = " (deleted)";

} // namespace

std::string program_path() {
    std::error_code error;
    std::string path = std::filesystem::read_symlink(kItself, error).string();
    // The suffix that the kernel appends to the name of a deleted or replaced file.
    if (path.ends_with(kDeleted) && !std::filesystem::exists(path, error)) path.resize(path.size() - kDeleted.size());
    return path;
}

unsigned usable_processors() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
    return std::max(1u, std::thread::hardware_concurrency());
}

bool has_threads() { return true; }

} // namespace vmaf::system
